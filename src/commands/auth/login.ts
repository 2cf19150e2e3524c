import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { inputNeeded, type MissingInput } from '../../cli/command/input-needed.ts';
import {
  checkBaseUrl,
  checkKey,
  demoProfile,
  refuseMistypedKey,
  resolveSettings,
} from '../../cli/config/connection-settings.ts';
import { CliError, usageError, WentBack } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { printableLines } from '../../cli/core/sanitize.ts';
import { outcomeError } from '../../cli/operation/run/outcome-error.ts';
import { printProfile } from '../../cli/profiles/view-profile.ts';
import { createClient } from '../../client/client.ts';
import { pathParameterProblem } from '../../contract/operation.ts';
import { showSettings } from '../../contract/operations/settings.ts';

export const command: CommandDefinition = {
  description: `Log in to a store: save its address, its id and an API key in a profile. The key is checked first, with a
read that changes nothing. You are asked for it, and it is not shown; with --with-key it is read from standard input. It is never
a flag, because command lines are visible to other programs and stay in the shell history.`,
  options: [{ flag: '--with-key', description: 'Read the key from standard input', group: 'Options:' }],
  examples: [
    'auth login',
    'auth login --base-url https://api.example.com --store 4be5… --with-key < key.txt',
    'auth login --profile outlet --store 91c0…',
  ],
  async run(context, parsed) {
    const profiles = await context.profiles();
    const { io, flags } = context;
    const settings = resolveSettings(flags, io.env, io.cwd, profiles, { profileMayBeNew: true });
    const name = settings.profile;
    if (name === demoProfile)
      throw usageError(
        'the demo store needs no key',
        'leave out --demo, or choose another profile with --profile NAME',
      );

    const given = {
      baseUrl: settings.baseUrl?.value.href,
      storeId: settings.storeId?.value,
    };
    const withKey = isOn(parsed, '--with-key');
    refuseMissing(context, given, withKey);
    const check = (login: Login) => checkAccess(context, login);
    const { url, storeId, apiKey } = withKey
      ? await readKey(context, checkTarget(given), check)
      : await askLogin(context, given, check);
    await profiles.set(name, (before) => ({
      ...before,
      baseUrl: url.href.replace(/\/$/, ''),
      storeId,
      apiKey,
      keyOrigin: url.origin,
    }));
    if (profiles.current() === null) await profiles.use(name);
    context.notice(`Stored the key to store ${storeId} @ ${url.host} in profile ${name} (${profiles.file}).`);
    if (profiles.current() !== name)
      context.notice(`Use it with --profile ${name}, or \`storectl profile use ${name}\`.`);
    printProfile(context, profiles, name);
    return undefined;
  },
};

interface Target {
  readonly url: URL;
  readonly storeId: string;
}

interface Login extends Target {
  readonly apiKey: string;
}

type Given = { readonly [Name in 'baseUrl' | 'storeId']: string | undefined };

/** With --with-key, standard input holds the key, so nothing can be asked. */
function refuseMissing({ canPrompt }: Context, { baseUrl, storeId }: Given, withKey: boolean): void {
  if (canPrompt && !withKey) return;
  const missing: MissingInput[] = [
    ...(baseUrl === undefined
      ? [{ field: 'baseUrl', give: '--base-url URL', description: 'address of the service' }]
      : []),
    ...(storeId === undefined
      ? [{ field: 'storeId', give: '--store ID', description: 'store to work on' }]
      : []),
    ...(withKey
      ? []
      : [{ field: 'apiKey', give: '--with-key < FILE', description: 'the API key, on standard input' }]),
  ];
  if (missing.length > 0) throw inputNeeded(missing);
}

function checkTarget({ baseUrl = '', storeId = '' }: Given): Target {
  const url = checkBaseUrl(baseUrl, 'flag');
  const problem = pathParameterProblem(storeId);
  if (problem !== null) throw usageError(`the store id ${problem}`, 'use the id as the service shows it');
  return { url, storeId };
}

async function readKey(
  context: Context,
  target: Target,
  check: (login: Login) => Promise<void>,
): Promise<Login> {
  const { readStdin } = await import('../../cli/input/stdin.ts');
  const bytes = await readStdin(context, '--with-key');
  const apiKey = checkKey(bytes.toString('utf8').trim(), 'standard input');
  refuseMistypedKey(apiKey, 'standard input');
  await check({ ...target, apiKey });
  return { ...target, apiKey };
}

/**
 * Asks for the key and for what the flags do not give. After a refused key it asks for the key again; if the store is not
 * found or the service not reached, it goes back to the question before. The other answers are kept.
 */
async function askLogin(
  context: Context,
  given: Given,
  check: (login: Login) => Promise<void>,
): Promise<Login> {
  const { askSecret } = await import('../../cli/prompts/prompts.ts');
  const { askBaseUrl, askStoreId } = await import('../../cli/profiles/ask-target.ts');
  const { askFromStart, explainKeys } = await import('../../cli/prompts/questions.ts');
  const target = { ...given };
  if (given.baseUrl !== undefined && given.storeId !== undefined) checkTarget(given);
  const before = [
    ...(given.baseUrl === undefined ? [askBaseUrl(context, target)] : []),
    ...(given.storeId === undefined ? [askStoreId(context, target)] : []),
  ];
  let apiKey = '';
  const askKey = async () => {
    for (;;) {
      try {
        apiKey = checkKey((await askSecret(context.io, 'API key (not shown)')).trim(), 'your answer');
        refuseMistypedKey(apiKey, 'your answer');
        return await check({ ...checkTarget(target), apiKey });
      } catch (error) {
        if (!(error instanceof CliError) || error instanceof WentBack) throw error;
        const { exitCode, message } = error.details;
        const isKeyWrong = exitCode === exitCodes.usage || exitCode === exitCodes.notAllowed;
        const isTargetWrong = exitCode === exitCodes.notFound || exitCode === exitCodes.notApplied;
        if (!isKeyWrong && (!isTargetWrong || before.length === 0)) throw error;
        context.notice(printableLines(message));
        if (isTargetWrong) throw new WentBack();
      }
    }
  };
  if (before.length > 0) explainKeys(context);
  await askFromStart(() => [...before, { ask: askKey }]);
  return { ...checkTarget(target), apiKey };
}

/** Reads the operations settings. A 403 proves the key as well: it only lacks that scope. */
async function checkAccess(context: Context, { url, storeId, apiKey }: Login): Promise<void> {
  const client = createClient({
    baseUrl: url.href.replace(/\/$/, ''),
    apiKey,
    userAgent: 'storectl',
    env: context.io.env,
  });
  try {
    const outcome = await client.call(showSettings, {
      parameters: { storeId },
      body: null,
      signal: context.io.signal,
      ...(context.flags.timeoutMs !== undefined && { timeoutMs: context.flags.timeoutMs }),
    });
    if (outcome.kind === 'applied') return;
    if (outcome.kind === 'rejected' && outcome.status === 403) {
      context.notice('The key is valid, but may not read settings, so the store id could not be checked.');
      return;
    }
    const { details } = outcomeError(outcome, {
      class: 'read',
      fields: [],
      recordId: null,
      now: context.now(),
    });
    throw new CliError({
      ...details,
      message: `the key was not stored: ${details.message}`,
      hint:
        details.exitCode === exitCodes.notAllowed
          ? 'check the key, and that it is for this address'
          : details.hint,
    });
  } finally {
    await client.close();
  }
}
