import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Target } from '../../cli/command/connection.ts';
import { inputNeeded, missingKey, missingPlace } from '../../cli/command/input-needed.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { checkKey, keyVariable } from '../../cli/config/api-key.ts';
import {
  type ConnectionSettings,
  checkBaseUrl,
  demoProfile,
  describePlace,
  resolveSettings,
} from '../../cli/config/connection-settings.ts';
import { readKey } from '../../cli/config/read-key.ts';
import { quoteCommand } from '../../cli/core/command-text.ts';
import { CliError, type Failure, notTogether, usageError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { isInputForbidden, isSwitchedOn } from '../../cli/core/io.ts';
import { isOn, optionValue } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { readStdin } from '../../cli/input/stdin.ts';
import { explainRefusal } from '../../cli/operation/questions/ask-missing.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { tryKey } from '../../cli/operation/try-key.ts';
import { askSecret, askText } from '../../cli/prompts/prompts.ts';
import { askAll, type Question, withKeysExplained } from '../../cli/prompts/questions.ts';
import { hintOfVersion, parseBaseUrl } from '../../client/base-url.ts';
import { pathParameterProblem } from '../../contract/operation.ts';

const keyCommandFlag = '--key-command';

export const command: CommandDefinition = {
  description: `Log in to a store: save the base URL, the store id and an API key in a profile. The key is checked first, with a
read-only request. You are asked for the key, which is not shown; with --with-key it is read from standard input, and with
--key-command a password manager keeps it.`,
  details: `The key is never a flag, because command lines are visible to other programs and stay in the shell history. A key
command is run by the shell, without a terminal, each time a command needs the key; the key is the first line that it prints
within 30 seconds. Only the command is stored.`,
  options: [
    { flag: '--with-key', description: 'Read the key from standard input' },
    {
      flag: keyCommandFlag,
      value: 'COMMAND',
      description: 'Store a command that prints the key, not the key',
    },
  ],
  listedGlobals: ['--store', '--base-url'],
  withoutEffect: 'the key was not stored',
  examples: [
    'auth login',
    'auth login --base-url https://api.example.com --store 4be5… --with-key < key.txt',
    'auth login --profile outlet --store 91c0…',
    "auth login --profile outlet --key-command 'pass outlet'",
  ],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const { io } = ui;
    const settings = resolveSettings(session.flags, io.env, io.cwd, profiles, { profileMayBeNew: true });
    const { profile } = settings;
    if (profile === demoProfile)
      throw usageError(
        'the demo store needs no key',
        'leave out --demo, or choose another profile with --profile NAME',
      );

    const withKey = isOn(parsed, '--with-key');
    const keyCommand = optionValue(parsed, keyCommandFlag);
    if (keyCommand === '')
      throw usageError(`${keyCommandFlag} needs a command`, 'add the command that prints the key');
    if (withKey && keyCommand !== undefined) throw notTogether('--with-key', keyCommandFlag);
    refuseMissing(ui, settings, withKey || keyCommand !== undefined);
    const given = { profile, baseUrl: settings.baseUrl?.value, storeId: settings.storeId?.value };
    const target = await (keyCommand !== undefined
      ? runCommand(ui, session, given, keyCommand)
      : withKey
        ? readGivenKey(ui, session, given)
        : askLogin(ui, session, given));
    const { baseUrl, storeId, secret } = target;
    const earlier = profiles.get(profile);
    await profiles.set(profile, (before) => {
      const { apiKey: _, keyCommand: __, ...rest } = before ?? {};
      const key = keyCommand === undefined ? { apiKey: secret } : { keyCommand };
      return { ...rest, baseUrl, storeId, ...key, keyBaseUrl: baseUrl };
    });
    if (profiles.current() === null) await profiles.use(profile);
    printSuccess(ui, `Logged in to store ${describePlace(target)} (profile ${profile})`);
    if (earlier?.apiKey !== undefined && describePlace(earlier) !== describePlace(target))
      ui.notice(
        line`This profile was for store ${describePlace(earlier)}, whose key is removed. For another store, use --profile NAME.`,
      );
    ui.notice(line`The ${keyCommand === undefined ? 'key' : 'command'} is stored in ${profiles.file}.`);
    const variable = keyVariable(io.env);
    if (variable !== null)
      ui.notice(line`${variable} is set: commands use the key from it, not the stored one.`);
    if (profiles.current() !== profile)
      ui.notice(line`Use it with --profile ${profile}, or ${quoteCommand('profile', 'use', profile)}.`);
    printProfile(ui, profiles, profile);
  },
};

interface Given {
  readonly profile: string;
  readonly baseUrl: string | undefined;
  readonly storeId: string | undefined;
}

/** With --with-key, standard input holds the key, so nothing can be asked. `isKeyGiven`: also by a command. */
function refuseMissing(ui: Ui, settings: ConnectionSettings, isKeyGiven: boolean): void {
  if (ui.canAsk && !isKeyGiven) return;
  const key = { field: 'apiKey', give: '--with-key < FILE', description: 'the API key, on standard input' };
  const { env } = ui.io;
  // A CI job needs no login where it has all the variables.
  const variables = isSwitchedOn(env.CI) ? [...missingPlace(settings, env), ...missingKey(settings)] : [];
  if (variables.length > 0 && !isKeyGiven) throw inputNeeded(variables);
  const missing = [...missingPlace(settings, {}), ...(isKeyGiven ? [] : [key])];
  if (missing.length === 0) return;
  // With a key on standard input, a terminal is not asked either.
  throw inputNeeded(missing, isKeyGiven ? { first: 'flags' } : { first: 'prompt', prompt: ui.promptHint });
}

function checkTarget({ profile, baseUrl = '', storeId = '' }: Given, secret: string): Target {
  const problem = pathParameterProblem(storeId);
  if (problem !== null) throw usageError(`the store id ${problem}`, 'use the id as the service shows it');
  return { profile, baseUrl: checkBaseUrl(baseUrl), storeId, secret };
}

async function runCommand(ui: Ui, session: Session, given: Given, command: string): Promise<Target> {
  checkTarget(given, '');
  const target = checkTarget(given, await readKey({ kind: 'command', command, source: 'profile' }, ui.io));
  await checkLogin(ui, session, target, 'the key that the command prints');
  return target;
}

async function readGivenKey(ui: Ui, session: Session, given: Given): Promise<Target> {
  checkTarget(given, '');
  const target = checkTarget(given, (await readTypedOrPiped(session)).trim());
  await checkLogin(ui, session, target, 'the key in standard input');
  return target;
}

/** The key on standard input. A terminal never shows it. */
async function readTypedOrPiped(session: Session): Promise<string> {
  const { io, flags } = session;
  if (io.stdin.isTTY === true && !isInputForbidden(flags, io.env))
    return askSecret(io, 'API key (not shown)');
  return (await readStdin(session, '--with-key')).toString('utf8');
}

/**
 * Asks for the key and for what is not given. A key that is refused is asked for again; if the store or the service is not
 * found, everything is, with the earlier answers. Throws if what is wrong was given by a flag, the environment or the profile.
 */
async function askLogin(ui: Ui, session: Session, given: Given): Promise<Target> {
  const { io } = ui;
  const answers = { ...given };
  let key = '';
  const askAddress = async () => {
    answers.baseUrl = await askText(io, 'Base URL', { preset: answers.baseUrl, validate: validateBaseUrl });
  };
  const askStore = async () => {
    const validate = (text: string) => pathParameterProblem(text) ?? true;
    answers.storeId = await askText(io, 'Store ID', { preset: answers.storeId, validate });
  };
  const askKey = async () => {
    const how = key === '' ? 'not shown' : 'not shown, Enter for the same';
    key = (await askSecret(io, `API key (${how})`)).trim() || key;
  };
  const questions: readonly Question[] = [
    ...(given.baseUrl === undefined ? [askAddress] : []),
    ...(given.storeId === undefined ? [askStore] : []),
    askKey,
  ];
  if (questions.length === 1) {
    ui.notice(line`New key for store ${describePlace(checkTarget(given, key))} (profile ${given.profile}):`);
    ui.notice(line`For another store, cancel and run ${quoteCommand('auth', 'login', '--profile', 'NAME')}.`);
  }
  for (let from = 0; ; ) {
    await askAll(
      withKeysExplained(ui, () => questions),
      from,
    );
    const target = checkTarget(answers, key);
    try {
      await checkLogin(ui, session, target, 'this key');
      return target;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { exitCode } = error.failure;
      const isKeyWrong = exitCode === exitCodes.usage || exitCode === exitCodes.notAllowed;
      const isStoreWrong = exitCode === exitCodes.notFound && questions.length > 1;
      const isAddressWrong = exitCode === exitCodes.notApplied && given.baseUrl === undefined;
      if (!isKeyWrong && !isStoreWrong && !isAddressWrong) throw error;
      explainRefusal(ui, session, error, { isStepShown: true });
      if (isKeyWrong) key = '';
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
async function checkLogin(ui: Ui, session: Session, target: Target, what: string): Promise<void> {
  checkKey(target.secret, what);
  try {
    const { client, storeId, baseUrl } = await session.connectTo(target);
    const isForStore = await tryKey(session, { client, storeId, baseUrl, keyVariable: null });
    if (!isForStore)
      ui.notice('The key is valid. It may not read the settings, so the store id was not checked.');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = hintAfter(error.failure, target.baseUrl);
    throw new CliError({
      ...error.failure,
      outcome: 'not_sent',
      ...(hint !== undefined && { next: [{ say: hint }] }),
    });
  }
}

/** The profile may not exist yet, so `auth status` cannot be run to see what was used. */
function hintAfter({ code, exitCode, status }: Failure, baseUrl: string): string | undefined {
  if (code === 'unreadable_body')
    return 'check the base URL: this does not look like a store management service';
  if (status === undefined || exitCode === exitCodes.throttled || exitCode === exitCodes.notApplied)
    return undefined;
  if (exitCode === exitCodes.notAllowed) return 'check the key, and that it is for this base URL';
  return (
    hintOfVersion(status, baseUrl) ??
    'check the base URL and the store id, and that the key is for this store'
  );
}
