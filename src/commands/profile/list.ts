import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printList } from '../../cli/command/lists.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { demoProfile, resolveSettings } from '../../cli/config/connection-settings.ts';
import { historyDirectory } from '../../cli/config/directories.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { describeStore } from '../../cli/operation/call/store-in-use.ts';
import { renderTable } from '../../cli/output/tables.ts';
import { canonicalId } from '../../contract/operation.ts';
import { readStoreName } from '../../history/objects/seen-objects.ts';

const fields = ['name', 'used', 'baseUrl', 'storeId', 'key'];

export const command: CommandDefinition = {
  description: 'List the stored profiles. The one in use is marked.',
  responseFields: () => fields,
  examples: ['profile list', 'profile list --json'],
  async run({ ui, session }) {
    const profiles = await session.profiles();
    const { io } = ui;
    // --profile may name one that does not exist: the list is shown anyway.
    const { profile: used } = resolveSettings(session.flags, io.env, io.cwd, profiles, {
      profileMayBeNew: true,
    });
    const rows = profiles.names().map((name) => {
      const { baseUrl = null, storeId = null, apiKey, keyCommand } = profiles.get(name) ?? {};
      return {
        name,
        used: name === used,
        baseUrl,
        storeId,
        key: apiKey !== undefined || keyCommand !== undefined,
      };
    });
    printList(ui, rows, {
      id: 'name',
      fields,
      empty: phrase`No profiles yet. Run ${toRun('auth', 'login')} to create one.`,
      show: () =>
        ui.print(
          renderTable(
            ['name', 'base URL', ui.out.width === null ? 'store ID' : 'store', 'key'],
            rows.map(({ name, used, baseUrl, storeId, key }) => [
              name + (used ? ' (in use)' : ''),
              baseUrl ?? '-',
              storeCell(ui, { baseUrl, storeId }),
              key ? 'stored' : 'not stored',
            ]),
            ui.out,
          ),
        ),
    });
    if (used === demoProfile) ui.notice('The demo store is in use.');
  },
};

/** The store by its name where this machine has seen it. A pipe gets the id alone. */
function storeCell(
  { io, out }: Ui,
  { baseUrl, storeId }: { readonly baseUrl: string | null; readonly storeId: string | null },
): string {
  if (storeId === null) return '-';
  if (baseUrl === null || out.width === null) return storeId;
  const folder = historyDirectory(io, { baseUrl, storeId: canonicalId(storeId) });
  return describeStore(storeId, readStoreName(folder));
}
