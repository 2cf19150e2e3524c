import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { howToBePrompted, inputNeeded, type MissingInput } from '../../cli/command/input-needed.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import {
  checkBaseUrl,
  checkKey,
  demoProfile,
  keyVariable,
  refuseMistypedKey,
  resolveSettings,
} from '../../cli/config/connection-settings.ts';
import { CliError, usageError } from '../../cli/core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../cli/core/exit-codes.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { noteRetries } from '../../cli/output/describe-exchange.ts';
import { printProfile } from '../../cli/profiles/stored-profile.ts';
import type { Question } from '../../cli/prompts/questions.ts';
import { hintOfVersion, normalizeBaseUrl } from '../../client/base-url.ts';
import { createClient } from '../../client/client.ts';
import type { Outcome } from '../../client/outcome.ts';
import { pathParameterProblem } from '../../contract/operation.ts';
import { showSettings } from '../../contract/operations/settings.ts';

export const command: CommandDefinition = {
  description: `Log in to a store: save the base URL, the store id and an API key in a profile. The key is checked first, with a
read-only request. You are asked for the key, which is not shown; with --with-key it is read from standard input. It is
never a flag, because command lines are visible to other programs and stay in the shell history.`,
  options: [{ flag: '--with-key', description: 'Read the key from standard input' }],
  listedGlobals: ['--store', '--base-url'],
  withoutEffect: 'the key was not stored',
  examples: [
    'auth login',
    'auth login --base-url https://api.example.com --store 4be5… --with-key < key.txt',
    'auth login --profile outlet --store 91c0…',
  ],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const { io } = ui;
    const settings = resolveSettings(session.flags, io.env, io.cwd, profiles, { profileMayBeNew: true });
    const name = settings.profile;
    if (name === demoProfile)
      throw usageError(
        'the demo store needs no key',
        'leave out --demo, or choose another profile with --profile NAME',
      );

    const given = { baseUrl: settings.baseUrl?.value.href, storeId: settings.storeId?.value };
    const withKey = isOn(parsed, '--with-key');
    refuseMissing(ui, session, given, withKey);
    const { url, storeId, apiKey } = withKey
      ? await readKey(ui, session, checkTarget(given))
      : await askLogin(ui, session, given, name);
    await profiles.set(name, (before) => ({
      ...before,
      baseUrl: url.href.replace(/\/$/, ''),
      storeId,
      apiKey,
      keyBaseUrl: normalizeBaseUrl(url.href),
    }));
    if (profiles.current() === null) await profiles.use(name);
    noticeDone(ui, `Logged in to store ${storeId} @ ${url.host} (profile ${name})`);
    ui.notice(`The key is stored in ${profiles.file}.`);
    const variable = keyVariable(io.env);
    if (variable !== null) ui.notice(`${variable} is set: commands use the key in it, not the stored key.`);
    if (profiles.current() !== name)
      ui.notice(`Use it with --profile ${name}, or \`storectl profile use ${name}\`.`);
    printProfile(ui, profiles, name);
  },
};

/** For checking the key: an address that does not answer is most likely mistyped. */
const checkTimeoutMs = 10_000;

interface Target {
  readonly url: URL;
  readonly storeId: string;
}

interface Login extends Target {
  readonly apiKey: string;
}

type Given = { readonly [Name in 'baseUrl' | 'storeId']: string | undefined };

/** With --with-key, standard input holds the key, so nothing can be asked. */
function refuseMissing(ui: Ui, session: Session, { baseUrl, storeId }: Given, withKey: boolean): void {
  if (ui.canAsk && !withKey) return;
  const missing: MissingInput[] = [
    ...(baseUrl === undefined
      ? [{ field: 'baseUrl', give: '--base-url URL', description: 'base URL of the service' }]
      : []),
    ...(storeId === undefined
      ? [{ field: 'storeId', give: '--store ID', description: 'store to work on' }]
      : []),
    ...(withKey
      ? []
      : [{ field: 'apiKey', give: '--with-key < FILE', description: 'the API key, on standard input' }]),
  ];
  if (missing.length > 0) throw inputNeeded(missing, howToBePrompted(session), 'flags');
}

function checkTarget({ baseUrl = '', storeId = '' }: Given): Target {
  const url = checkBaseUrl(baseUrl);
  const problem = pathParameterProblem(storeId);
  if (problem !== null) throw usageError(`the store id ${problem}`, 'use the id as the service shows it');
  return { url, storeId };
}

async function readKey(ui: Ui, session: Session, target: Target): Promise<Login> {
  const { readStdin } = await import('../../cli/input/stdin.ts');
  const bytes = await readStdin(session, '--with-key');
  const text = bytes.toString('utf8').trim();
  if (text === '') {
    throw usageError('standard input (--with-key) is empty', 'pass the key on it: --with-key < FILE', {
      code: 'malformed_key',
    });
  }
  const apiKey = checkKey(text, 'the key in standard input');
  refuseMistypedKey(apiKey, 'the key in standard input');
  await checkAccess(ui, session, { ...target, apiKey });
  return { ...target, apiKey };
}

/**
 * Asks for the key and for what is not given. If the key is refused, asks for the key again; if the store is not found, for
 * the store; if no such service answers, for the address. The other answers are kept. Throws if the wrong value was
 * given by a flag, the environment or the profile.
 */
async function askLogin(ui: Ui, session: Session, given: Given, profile: string): Promise<Login> {
  const { askSecret } = await import('../../cli/prompts/prompts.ts');
  const { explainRefusal } = await import('../../cli/operation/questions/ask-missing.ts');
  const { askBaseUrl, askStoreId } = await import('../../cli/profiles/ask-target.ts');
  const { askFromStart, explainKeys } = await import('../../cli/prompts/questions.ts');
  const target = { ...given };
  let apiKey = '';
  const askKey = async () => {
    apiKey = (await askSecret(ui.io, 'API key (not shown)')).trim();
  };
  const askAddress = given.baseUrl === undefined ? askBaseUrl(ui, target) : null;
  const askStore = given.storeId === undefined ? askStoreId(ui, target) : null;
  const questions = [askAddress, askStore, askKey].filter((question) => question !== null);
  if (questions.length > 1) explainKeys(ui);
  else {
    const { url, storeId } = checkTarget(given);
    ui.notice(`New key for store ${storeId} @ ${url.host} (profile ${profile}):`);
    ui.notice('For another store, cancel and run `storectl auth login --profile NAME`.');
  }
  for (let next: Question = questions[0] ?? askKey; ; ) {
    const refusedStore = target.storeId;
    // The key may well be right if the store was not found; for the same store again, it is asked for too.
    const asked = () =>
      next === askStore && apiKey !== ''
        ? [next, ...(target.storeId === refusedStore ? [askKey] : [])]
        : questions;
    await askFromStart(asked, Math.max(0, asked().indexOf(next)));
    const problem = await problemOfLogin(ui, session, target, apiKey);
    if (problem === null) return { ...checkTarget(target), apiKey };
    const { exitCode, code } = problem.failure;
    const { url } = checkTarget(target);
    // Another code comes from the service itself; a base URL with a path may be one too long.
    const isElsewhere = code === 'http_404' || url.pathname !== '/';
    const wrong =
      exitCode === exitCodes.usage || exitCode === exitCodes.notAllowed
        ? askKey
        : exitCode === exitCodes.notFound
          ? ((isElsewhere ? askAddress : askStore) ?? askStore ?? askAddress)
          : exitCode === exitCodes.notApplied
            ? askAddress
            : null;
    if (wrong === null) throw problem;
    explainRefusal(ui, session, problem, { isStepShown: true });
    next = wrong;
  }
}

/** What is wrong with the answers, or null. */
async function problemOfLogin(
  ui: Ui,
  session: Session,
  given: Given,
  apiKey: string,
): Promise<CliError | null> {
  const target = checkTarget(given);
  try {
    checkKey(apiKey, 'this key');
    refuseMistypedKey(apiKey, 'this key');
    await checkAccess(ui, session, { ...target, apiKey });
    return null;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** Reads the operations settings. A 403 proves the key as well: it only lacks that scope. */
async function checkAccess(ui: Ui, session: Session, { url, storeId, apiKey }: Login): Promise<void> {
  const client = createClient({
    baseUrl: url.href.replace(/\/$/, ''),
    apiKey,
    userAgent: 'storectl',
    env: session.io.env,
    onRetry: noteRetries((text) => ui.notice(ui.err.color.dim(text))),
  });
  try {
    const outcome = await ui.waiting.during(url.host, () =>
      client.call(showSettings, {
        parameters: { storeId },
        body: null,
        signal: session.io.signal,
        timeoutMs: session.flags.timeoutMs ?? checkTimeoutMs,
      }),
    );
    if (outcome.kind === 'applied') return;
    if (outcome.kind === 'rejected' && outcome.status === 403) {
      ui.notice('The key is valid, but lacks the scope settings:read, so the store id could not be checked.');
      return;
    }
    const { failure } = outcomeError(session, outcome, {
      keyVariable: null,
      subject: { object: null, storeId },
    });
    const hint = hintAfter(outcome, url);
    throw new CliError({
      ...failure,
      outcome: 'not_sent',
      ...(hint !== undefined && { next: [{ say: hint }] }),
    });
  } finally {
    await client.close();
  }
}

/** The profile may not exist yet, so `auth status` cannot be run to see what was used. */
function hintAfter(outcome: Outcome, url: URL): string | undefined {
  if (outcome.kind === 'unknown' && outcome.failure.code === 'unreadable_body')
    return 'check the base URL: this does not look like a store management service';
  if (outcome.kind !== 'rejected') return undefined;
  const exitCode = exitCodeOfStatus(outcome.status);
  if (exitCode === exitCodes.throttled) return undefined;
  if (exitCode === exitCodes.notAllowed) return 'check the key, and that it is for this base URL';
  return (
    hintOfVersion(outcome.status, url.href) ??
    'check the base URL and the store id, and that the key is for this store'
  );
}
