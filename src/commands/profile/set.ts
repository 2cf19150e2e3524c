import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import {
  checkBaseUrl,
  checkProfileName,
  demoProfile,
  loginCommand,
} from '../../cli/config/connection-settings.ts';
import type { Profile } from '../../cli/config/profile-store.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { printProfile } from '../../cli/profiles/stored-profile.ts';
import { askOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFirst, askFromStart, explainKeys } from '../../cli/prompts/questions.ts';
import { normalizeBaseUrl } from '../../client/base-url.ts';
import { pathParameterProblem } from '../../contract/operation.ts';

export const command: CommandDefinition = {
  description: `Set the base URL or the store of a profile. The profile is created if it does not exist. A stored key is used only for the base URL that it was stored for: after changing the base URL, log in again.`,
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  listedGlobals: ['--store', '--base-url'],
  examples: [
    'profile set main --store 4be5…',
    'profile set staging --base-url https://staging.example.com --store 4be5…',
  ],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const name = argumentValue(parsed, 'name') ?? (await askName(ui));
    checkProfileName(name);
    if (name === demoProfile) throw usageError('"demo" is the name of the demo store', 'choose another name');
    const { baseUrl, store } = await completeValues(ui, session, profiles.get(name));
    const url = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl);
    const problem = store === undefined ? null : pathParameterProblem(store);
    if (problem !== null) throw usageError(`--store ${problem}`, 'copy the whole id, for example 019a6f3e-…');
    const before = profiles.get(name);
    await profiles.set(name, (stored) => ({
      ...stored,
      ...(url && { baseUrl: url.href.replace(/\/$/, '') }),
      ...(store !== undefined && { storeId: store }),
    }));
    noticeDone(ui, `${before === null ? 'Created' : 'Updated'} profile ${name}`);
    if (url && before?.keyBaseUrl && before.keyBaseUrl !== normalizeBaseUrl(url.href)) {
      ui.notice(
        `The stored key is for ${before.keyBaseUrl} and will not be sent to ${normalizeBaseUrl(url.href)}: run \`${loginCommand(name)}\`.`,
      );
    }
    printProfile(ui, profiles, name);
  },
};

async function askName(ui: Ui): Promise<string> {
  const missing = { field: 'name', give: '<name>', description: 'name of the profile' };
  return askOrFail(ui, [missing], async ({ askText }) => {
    const { problemOf } = await import('../../cli/profiles/ask-target.ts');
    const validate = (text: string) => problemOf(() => checkProfileName(text)) ?? true;
    return askFirst(() => askText(ui.io, 'Name of the profile', { validate }));
  });
}

/** Address and store from the flags. If neither is given, the user is asked, with the stored values as defaults. */
async function completeValues(
  ui: Ui,
  session: Session,
  before: Profile | null,
): Promise<{ readonly baseUrl: string | undefined; readonly store: string | undefined }> {
  const { baseUrl, store } = session.flags;
  if (baseUrl !== undefined || store !== undefined) return { baseUrl, store };
  if (!ui.canAsk) throw usageError('nothing to set', 'pass --base-url URL or --store ID');
  const { askBaseUrl, askStoreId } = await import('../../cli/profiles/ask-target.ts');
  const target = { baseUrl: before?.baseUrl, storeId: before?.storeId };
  const questions = [askBaseUrl(ui, target), askStoreId(ui, target)];
  explainKeys(ui);
  await askFromStart(() => questions);
  return { baseUrl: target.baseUrl, store: target.storeId };
}
