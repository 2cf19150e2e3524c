import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { describeKey } from '../../cli/config/api-key.ts';
import {
  demoProfile,
  describeSource,
  type Source,
  type Sourced,
  type settingVariables,
} from '../../cli/config/connection-settings.ts';
import { CliError } from '../../cli/core/errors.ts';
import { tryKey } from '../../cli/operation/try-key.ts';
import { renderRecord } from '../../cli/output/tables.ts';
import { additionHeaders } from '../../contract/headers.ts';
import { presets } from '../../contract/operations/scopes.ts';

/** Where a value comes from, if not from the stored profile. */
function originOf(source: Source, setting: keyof typeof settingVariables): string {
  if (source === 'profile') return '';
  return source === 'default' ? ' (default)' : ` (from ${describeSource(source, setting)})`;
}

/** `backups:read, backups:write (preset ci-backup)`. */
function describeScopes(scopes: readonly string[]): string {
  const isPreset = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const [name] = Object.entries(presets).find(([, preset]) => isPreset(preset)) ?? [];
  return scopes.toSorted().join(', ') + (name === undefined ? '' : ` (preset ${name})`);
}

const scopesHeader = additionHeaders.scopes.toLowerCase();

export const command: CommandDefinition = {
  description: `Show the profile, base URL, store and key that a command would use, and where each comes from. The key is
checked with a read-only request. It is never shown.`,
  examples: ['auth status', 'auth status --profile outlet --json'],
  async run({ ui, session }) {
    const settings = await session.settings();
    const { profile, storeId, baseUrl, key, storedKeyUrl } = settings;
    const demo = profile === demoProfile;
    let access = 'failed';
    let error: CliError | null = null;
    let scopes: readonly string[] | null = null;
    try {
      const connection = await session.connect();
      connection.onExchange(({ responseHeaders }) => {
        scopes = responseHeaders?.[scopesHeader]?.split(/[\s,]+/).filter((scope) => scope !== '') ?? scopes;
      });
      await tryKey(session, connection);
      access = 'works';
    } catch (thrown) {
      if (!(thrown instanceof CliError)) throw thrown;
      // Not to run this command.
      const next = thrown.failure.next?.filter((step) => !('run' in step));
      const isNew = !demo && baseUrl === null && storeId === null && key === null;
      error = new CliError({ ...thrown.failure, next, ...(isNew && { what: 'not logged in' }) });
      if (isNew) access = 'not checked';
    }
    const keyFrom = key && describeKey(key, (await session.profiles()).file);
    const status = {
      profile,
      baseUrl: demo ? 'built-in demo service' : (baseUrl?.value ?? null),
      baseUrlSource: baseUrl?.source ?? null,
      storeId: storeId?.value ?? (demo ? (await session.demo()).example.storeId : null),
      storeIdSource: storeId?.source ?? null,
      key: key ? 'set' : demo ? 'created for each command' : null,
      keySource: key?.source ?? null,
      keyFrom: keyFrom ?? null,
      access,
      scopes,
    };
    if (ui.json) printJson(ui, status);
    else {
      const shown = (
        value: string | null,
        sourced: Sourced<unknown> | null,
        setting: keyof typeof settingVariables,
      ) => (value === null ? 'not set' : value + (sourced ? originOf(sourced.source, setting) : ''));
      const keyForPeople =
        key === null && storedKeyUrl !== undefined
          ? `stored for ${storedKeyUrl}; not sent to another base URL`
          : (keyFrom ?? status.key ?? 'not set');
      ui.print(
        renderRecord(
          [
            ['Profile', profile + originOf(settings.profileSource, 'profile')],
            ['Base URL', shown(status.baseUrl, baseUrl, 'baseUrl')],
            ['Store ID', shown(status.storeId, storeId, 'storeId')],
            ['Key', keyForPeople],
            ['Access', access],
            ...(scopes === null ? [] : [['Scopes', describeScopes(scopes)] as const]),
          ],
          ui.out,
        ),
      );
    }
    if (error !== null) throw error;
  },
};
