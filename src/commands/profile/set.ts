import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { inputNeeded } from '../../cli/command/input-needed.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import type { Ui } from '../../cli/command/ui.ts';
import {
  checkBaseUrl,
  checkProfileName,
  demoProfile,
  quoteLogin,
} from '../../cli/config/connection-settings.ts';
import type { Profile } from '../../cli/config/profile-store.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { askNeededOne } from '../../cli/prompts/ask-or-fail.ts';
import { pathParameterProblem } from '../../contract/operation.ts';
import { profileChoices } from './profile-choices.ts';

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
    const isPlaceGiven = session.flags.baseUrl !== undefined || session.flags.store !== undefined;
    const missing = {
      field: 'name',
      give: '<name>',
      description: 'name of the profile',
      label: 'Name of the profile',
      question: 'Which profile do you want to set?',
      choices: async () => profileChoices(profiles),
      validate: (text: string) => problemOf(() => checkProfileName(text)),
    };
    const name =
      argumentValue(parsed, 'name') ??
      session.flags.profile ??
      (await askNeededOne(ui, missing, { also: isPlaceGiven ? [] : [missingPlace] }));
    checkProfileName(name);
    if (name === demoProfile) throw usageError('"demo" is the name of the demo store', 'choose another name');
    const { baseUrl, store } = isPlaceGiven ? session.flags : await askPlace(ui, profiles.get(name));
    const url = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl);
    const problem = store === undefined ? null : pathParameterProblem(store);
    if (problem !== null) throw usageError(`--store ${problem}`, 'copy the whole id, for example 019a6f3e-…');
    const before = profiles.get(name);
    await profiles.set(name, (stored) => ({
      ...stored,
      ...(url && { baseUrl: url }),
      ...(store !== undefined && { storeId: store }),
    }));
    printSuccess(ui, `${before === null ? 'Created' : 'Updated'} profile ${name}`);
    if (url && before?.keyBaseUrl && before.keyBaseUrl !== url) {
      ui.notice(
        line`The stored key is for ${before.keyBaseUrl} and will not be sent to ${url}: run ${quoteLogin(name)}.`,
      );
    }
    printProfile(ui, profiles, name);
  },
};

const missingPlace = {
  field: 'place',
  give: '--base-url URL or --store ID',
  description: 'what to set',
};

/** Asks for what can be set, with the present values. */
async function askPlace(ui: Ui, before: Profile | null): Promise<{ baseUrl: string; store: string }> {
  if (!ui.canAsk) throw inputNeeded([missingPlace], { prompt: ui.promptHint });
  const { askText } = await import('../../cli/prompts/prompts.ts');
  const { askAll } = await import('../../cli/prompts/questions.ts');
  const place = { baseUrl: before?.baseUrl ?? '', store: before?.storeId ?? '' };
  const ask =
    (field: keyof typeof place, question: string, validate: (text: string) => true | string) => async () => {
      place[field] = await askText(ui.io, question, { preset: place[field] || undefined, validate });
    };
  const questions = [
    ask('baseUrl', 'Base URL', (text) => problemOf(() => checkBaseUrl(text))),
    ask('store', 'Store ID', (text) => pathParameterProblem(text) ?? true),
  ];
  await askAll(() => questions);
  return place;
}

/** What the check says is wrong, or true. */
function problemOf(check: () => unknown): true | string {
  try {
    check();
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
