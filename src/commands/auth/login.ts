import { type CommandDefinition, isOn } from '../../cli/command.ts';
import { type Context, inputNeeded, type MissingInput } from '../../cli/context.ts';
import { CliError, usageError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { outcomeError } from '../../cli/outcomes.ts';
import { printableLines } from '../../cli/sanitize.ts';
import {
  checkBaseUrl,
  checkKey,
  demoProfile,
  refuseMistypedKey,
  resolveSettings,
} from '../../cli/settings.ts';
import { createClient, parseBaseUrl } from '../../client/client.ts';
import { pathParameterProblem } from '../../contract/operation.ts';
import { showSettings } from '../../contract/settings.ts';

export const command: CommandDefinition = {
  description: `Store the address of a service, a store and the key to it, after checking the key with a read that
changes nothing. The key is asked for without showing it, or read from standard input with --with-key:
it is never a flag, because command lines are visible to other programs and stay in shell history.`,
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
      throw usageError('the demo store needs no key', 'leave --demo out, or name another profile');

    const given = {
      baseUrl: settings.baseUrl?.value.href,
      storeId: settings.storeId?.value,
    };
    const withKey = isOn(parsed, '--with-key');
    const { baseUrl, storeId } = await completeTarget(context, given, withKey);
    const url = checkBaseUrl(baseUrl, 'flag');
    const problem = pathParameterProblem(storeId);
    if (problem !== null) throw usageError(`the store id ${problem}`, 'give the id as the service shows it');
    const check = (key: string) => checkAccess(context, url, storeId, key);
    const apiKey = withKey ? await readKey(context, check) : await askKey(context, check);
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
    return undefined;
  },
};

async function completeTarget(
  context: Context,
  given: { baseUrl: string | undefined; storeId: string | undefined },
  withKey: boolean,
): Promise<{ baseUrl: string; storeId: string }> {
  const missing: MissingInput[] = [
    ...(given.baseUrl === undefined
      ? [{ field: 'baseUrl', give: '--base-url URL', description: 'address of the service' }]
      : []),
    ...(given.storeId === undefined
      ? [{ field: 'storeId', give: '--store ID', description: 'store to work on' }]
      : []),
  ];
  // With the key on standard input there is nobody at it to ask.
  if (!context.canPrompt || withKey) {
    const key = { field: 'apiKey', give: '--with-key < FILE', description: 'the key, on standard input' };
    const all = withKey ? missing : [...missing, key];
    if (all.length > 0) throw inputNeeded(all);
  }
  if (missing.length === 0) return { baseUrl: given.baseUrl ?? '', storeId: given.storeId ?? '' };
  const { askText } = await import('../../cli/prompts.ts');
  const baseUrl =
    given.baseUrl ??
    (await askText(context.io, 'Address of the service', {
      validate: (text) => {
        try {
          parseBaseUrl(text);
          return true;
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      },
    }));
  const storeId =
    given.storeId ??
    (await askText(context.io, 'Store id', { validate: (text) => pathParameterProblem(text) ?? true }));
  return { baseUrl, storeId };
}

async function readKey(context: Context, check: (key: string) => Promise<void>): Promise<string> {
  const { readStdin } = await import('../../cli/stdin.ts');
  const bytes = await readStdin(context, '--with-key');
  const key = checkKey(bytes.toString('utf8').trim(), 'standard input');
  refuseMistypedKey(key, 'standard input');
  await check(key);
  return key;
}

/** Asks again for a key that is refused: the other answers are still right. */
async function askKey(context: Context, check: (key: string) => Promise<void>): Promise<string> {
  const { askSecret } = await import('../../cli/prompts.ts');
  for (;;) {
    try {
      const key = checkKey((await askSecret(context.io, 'API key (not shown)')).trim(), 'your answer');
      refuseMistypedKey(key, 'your answer');
      await check(key);
      return key;
    } catch (error) {
      const again: readonly number[] = [exitCodes.usage, exitCodes.notAllowed];
      if (!(error instanceof CliError) || !again.includes(error.details.exitCode)) throw error;
      context.notice(printableLines(error.message));
    }
  }
}

/** Reads the operations settings: a key without the scope for it is a key all the same. */
async function checkAccess(context: Context, url: URL, storeId: string, apiKey: string): Promise<void> {
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
      context.notice('The key is valid; it may not read settings, so the store id could not be checked.');
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
          ? 'check the key and the address it belongs to'
          : details.hint,
    });
  } finally {
    await client.close();
  }
}
