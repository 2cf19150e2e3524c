import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { inputNeeded, missingConnection, orBePrompted } from '../../cli/command/input-needed.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import {
  type ConnectionSettings,
  checkBaseUrl,
  checkKey,
  demoProfile,
  keyVariable,
  resolveSettings,
} from '../../cli/config/connection-settings.ts';
import { CliError, type Failure, usageError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { readStdin } from '../../cli/input/stdin.ts';
import { explainRefusal } from '../../cli/operation/questions/ask-missing.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { tryKey } from '../../cli/operation/try-key.ts';
import { noteRetries } from '../../cli/output/describe-exchange.ts';
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
 * Asks for the key and for what is not given. A key that is refused is asked for again; if the store or the service is not
 * found, everything is, with the earlier answers. Throws if what is wrong was given by a flag, the environment or the profile.
 */
async function askLogin(ui: Ui, session: Session, given: Given, profile: string): Promise<Login> {
  const { io } = ui;
  const target = { ...given };
  let apiKey = '';
  const askAddress = async () => {
    target.baseUrl = await askText(io, 'Base URL', { preset: target.baseUrl, validate: validateBaseUrl });
  };
  const askStore = async () => {
    const validate = (text: string) => pathParameterProblem(text) ?? true;
    target.storeId = await askText(io, 'Store ID', { preset: target.storeId, validate });
  };
  const askKey = async () => {
    apiKey = (await askSecret(io, 'API key (not shown)')).trim();
  };
  const questions: readonly Question[] = [
    ...(given.baseUrl === undefined ? [askAddress] : []),
    ...(given.storeId === undefined ? [askStore] : []),
    askKey,
  ];
  if (questions.length > 1) explainKeys(ui);
  else {
    const { url, storeId } = checkTarget(given);
    ui.notice(`New key for store ${storeId} @ ${url.host} (profile ${profile}):`);
    ui.notice('For another store, cancel and run `storectl auth login --profile NAME`.');
  }
  for (let from = 0; ; ) {
    await askFromStart(() => questions, from);
    const login = { ...checkTarget(target), apiKey };
    try {
      await checkLogin(ui, session, login, 'this key');
      return login;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { exitCode } = error.failure;
      const isKeyWrong = exitCode === exitCodes.usage || exitCode === exitCodes.notAllowed;
      const isStoreWrong = exitCode === exitCodes.notFound && questions.length > 1;
      const isAddressWrong = exitCode === exitCodes.notApplied && given.baseUrl === undefined;
      if (!isKeyWrong && !isStoreWrong && !isAddressWrong) throw error;
      explainRefusal(ui, session, error, { isStepShown: true });
      from = isKeyWrong ? questions.length - 1 : 0;
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
