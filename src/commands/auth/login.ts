import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { inputNeeded, missingConnection, orBePrompted } from '../../cli/command/input-needed.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import {
  type ConnectionSettings,
  checkBaseUrl,
  checkKey,
  demoProfile,
  keyVariable,
  refuseMistypedKey,
  resolveSettings,
} from '../../cli/config/connection-settings.ts';
import { CliError, type Failure, usageError } from '../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { readStdin } from '../../cli/input/stdin.ts';
import { explainRefusal } from '../../cli/operation/questions/ask-missing.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { tryKey } from '../../cli/operation/try-key.ts';
import { noteRetries } from '../../cli/output/describe-exchange.ts';
import { printProfile } from '../../cli/profiles/stored-profile.ts';
import { askSecret, askText } from '../../cli/prompts/prompts.ts';
import { askFromStart, explainKeys, type Question } from '../../cli/prompts/questions.ts';
import { hintOfVersion, normalizeBaseUrl, parseBaseUrl } from '../../client/base-url.ts';
import { createClient } from '../../client/client.ts';
import { pathParameterProblem } from '../../contract/operation.ts';

export const command: CommandDefinition = {
  description: `Log in to a store: save the base URL, the store id and an API key in a profile. The key is checked first, with a
read-only request. You are asked for the key, which is not shown; with --with-key it is read from standard input.`,
  details: `The key is never a flag, because command lines are visible to other programs and stay in the shell history.`,
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
    refuseMissing(ui, settings, withKey);
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

interface Target {
  readonly url: URL;
  readonly storeId: string;
}

interface Login extends Target {
  readonly apiKey: string;
}

type Given = { readonly [Name in 'baseUrl' | 'storeId']: string | undefined };

/** With --with-key, standard input holds the key, so nothing can be asked. */
function refuseMissing(ui: Ui, settings: ConnectionSettings, withKey: boolean): void {
  if (ui.canAsk && !withKey) return;
  const key = { field: 'apiKey', give: '--with-key < FILE', description: 'the API key, on standard input' };
  const missing = [...missingConnection(settings), ...(withKey ? [] : [key])];
  if (missing.length > 0) throw inputNeeded(missing, orBePrompted, 'flags');
}

function checkTarget({ baseUrl = '', storeId = '' }: Given): Target {
  const url = checkBaseUrl(baseUrl);
  const problem = pathParameterProblem(storeId);
  if (problem !== null) throw usageError(`the store id ${problem}`, 'use the id as the service shows it');
  return { url, storeId };
}

async function readKey(ui: Ui, session: Session, target: Target): Promise<Login> {
  const bytes = await readStdin(session, '--with-key');
  const login = { ...target, apiKey: bytes.toString('utf8').trim() };
  await checkLogin(ui, session, login, 'the key in standard input');
  return login;
}

/**
 * Asks for the key and for what is not given. If the key is refused, asks for the key again; if the store is not found, for
 * the store; if no such service answers, for the address. The other answers are kept. Throws if the wrong value was
 * given by a flag, the environment or the profile.
 */
async function askLogin(ui: Ui, session: Session, given: Given, profile: string): Promise<Login> {
  const { io } = ui;
  const target = { ...given };
  let apiKey = '';
  const askKey = async () => {
    apiKey = (await askSecret(io, 'API key (not shown)')).trim();
  };
  const askAddress = async () => {
    target.baseUrl = await askText(io, 'Base URL', { preset: target.baseUrl, validate: validateBaseUrl });
  };
  const askStore = async () => {
    const validate = (text: string) => pathParameterProblem(text) ?? true;
    target.storeId = await askText(io, 'Store ID', { preset: target.storeId, validate });
  };
  const mayAsk = {
    address: given.baseUrl === undefined ? askAddress : null,
    store: given.storeId === undefined ? askStore : null,
  };
  const questions = [mayAsk.address, mayAsk.store, askKey].filter((question) => question !== null);
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
    const login = { ...checkTarget(target), apiKey };
    try {
      await checkLogin(ui, session, login, 'this key');
      return login;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { exitCode, code } = error.failure;
      // Another code comes from the service itself; a base URL with a path may be one too long.
      const isElsewhere = code === 'http_404' || login.url.pathname !== '/';
      const byExitCode: Partial<Record<ExitCode, Question | null>> = {
        [exitCodes.usage]: askKey,
        [exitCodes.notAllowed]: askKey,
        [exitCodes.notFound]: (isElsewhere ? mayAsk.address : mayAsk.store) ?? mayAsk.store ?? mayAsk.address,
        [exitCodes.notApplied]: mayAsk.address,
      };
      const wrong = byExitCode[exitCode] ?? null;
      if (wrong === null) throw error;
      explainRefusal(ui, session, error, { isStepShown: true });
      next = wrong;
    }
  }
}

function validateBaseUrl(text: string): string | true {
  try {
    parseBaseUrl(text);
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Throws the user's error if the key cannot be one, or does not work. `what` names it. */
async function checkLogin(
  ui: Ui,
  session: Session,
  { url, storeId, apiKey }: Login,
  what: string,
): Promise<void> {
  checkKey(apiKey, what);
  refuseMistypedKey(apiKey, what);
  const client = createClient({
    baseUrl: url.href.replace(/\/$/, ''),
    apiKey,
    userAgent: 'storectl',
    env: session.io.env,
    onRetry: noteRetries((text) => ui.notice(ui.err.color.dim(text))),
  });
  try {
    const target = { client, storeId, baseUrl: url.href, keyVariable: null };
    const canRead = await ui.waiting.during(url.host, () => tryKey(session, target));
    if (!canRead)
      ui.notice('The key is valid, but lacks the scope settings:read, so the store id could not be checked.');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = hintAfter(error.failure, url);
    throw new CliError({
      ...error.failure,
      outcome: 'not_sent',
      ...(hint !== undefined && { next: [{ say: hint }] }),
    });
  } finally {
    await client.close();
  }
}

/** The profile may not exist yet, so `auth status` cannot be run to see what was used. */
function hintAfter({ code, exitCode, outcome, status }: Failure, url: URL): string | undefined {
  if (code === 'unreadable_body')
    return 'check the base URL: this does not look like a store management service';
  if (outcome !== 'rejected' || status === undefined || exitCode === exitCodes.throttled) return undefined;
  if (exitCode === exitCodes.notAllowed) return 'check the key, and that it is for this base URL';
  return (
    hintOfVersion(status, url.href) ??
    'check the base URL and the store id, and that the key is for this store'
  );
}
