import { type ConnectionSettings, demoProfile, settingVariables } from '../config/connection-settings.ts';
import { quoteCommand } from '../core/command-text.ts';
import { CliError, type Next, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Environment, type Io, isSwitchedOn } from '../core/io.ts';

/** A required value that was not given. */
export interface MissingInput {
  readonly field: string;
  /** How to give it: `--label TEXT`, `<backupId>`. */
  readonly give: string;
  readonly description: string;
}

/** The address and the store, if no source gives them. For a CI job it names the variables, because the job has no profiles. */
export function missingPlace(
  { profile, storeId, baseUrl }: Pick<ConnectionSettings, 'profile' | 'storeId' | 'baseUrl'>,
  env: Environment,
): MissingInput[] {
  if (profile === demoProfile) return [];
  const missing: MissingInput[] = [];
  const add = (field: keyof typeof settingVariables, flag: string, description: string) => {
    const variable = settingVariables[field];
    missing.push(
      isSwitchedOn(env.CI)
        ? { field, give: variable, description }
        : { field, give: flag, description: `${description}, or ${variable}` },
    );
  };
  if (baseUrl === null) add('baseUrl', '--base-url URL', 'base URL of the service');
  if (storeId === null) add('storeId', '--store ID', 'store to work on');
  return missing;
}

/** As {@link missingPlace}, and the key where something else is missing, too: all is named at once. */
export function missingConnection(
  settings: Pick<ConnectionSettings, 'profile' | 'storeId' | 'baseUrl' | 'key' | 'storedKeyUrl'>,
  env: Environment,
): MissingInput[] {
  const missing = missingPlace(settings, env);
  return missing.length === 0 ? [] : [...missing, ...missingKey(settings)];
}

/** The key, if no source gives one. */
export function missingKey({ profile, key }: Pick<ConnectionSettings, 'profile' | 'key'>): MissingInput[] {
  if (key !== null || profile === demoProfile) return [];
  return [{ field: 'apiKey', give: 'STORECTL_API_KEY', description: 'API key of the store' }];
}

/** Exit 3 for what a terminal would ask. `what` says what is missing. */
export function terminalNeeded(what: string, next: Next): CliError {
  return usageError(what, next, { code: 'input_needed', exitCode: exitCodes.inputNeeded });
}

/** Exit 2 for a `--confirm` that does not match the command. */
export function wrongConfirmation(given: string, wanted: string): CliError {
  return usageError(
    `--confirm ${given || '""'} does not match ${wanted}`,
    `to confirm, pass --confirm ${wanted}`,
    { code: 'wrong_confirmation' },
  );
}

interface HowToGive {
  /** What has to change for the user to be asked, as {@link promptHint} says it. */
  readonly prompt?: string | undefined;
  /** Another end of the hint. */
  readonly otherwise?: string | undefined;
  /** What comes first where the store is not known: to log in, unless this is the login itself or not about a service. */
  readonly first?: 'login' | 'prompt' | 'flags';
}

/** Exit 3: one message that names every missing value and how to give it. */
export function inputNeeded(
  missing: readonly MissingInput[],
  { prompt, otherwise, first = 'login' }: HowToGive = {},
): CliError {
  const connection =
    first === 'login' && missing.some(({ field }) => field === 'baseUrl' || field === 'storeId');
  const isByVariable =
    missing.some(({ field, give }) => field !== 'apiKey' && isVariable(give)) ||
    missing.every(({ give }) => isVariable(give));
  const others = missing.some(({ give }) => !isVariable(give));
  const given = howToGive(missing);
  const ways = first === 'prompt' ? [prompt, given] : [given, prompt];
  const howTo = isByVariable
    ? `set the variables for this step, the key from a secret${others ? ', and add the rest to the command' : ''}`
    : connection
      ? `run ${quoteCommand('auth', 'login')} to store the base URL, store id and key, or try it without an account: ${quoteCommand('--demo', '…')}`
      : [ways.filter(Boolean).join(', or '), otherwise].filter(Boolean).join(', ');
  return new CliError({
    code: 'input_needed',
    exitCode: exitCodes.inputNeeded,
    next: [{ say: howTo }],
    outcome: 'not_sent',
    fields: missing.map(({ field, give, description }) => ({
      field,
      flag: isVariable(give) ? null : (give.split(' ')[0] ?? give),
      detail: description,
      give,
    })),
  });
}

function isVariable(give: string): boolean {
  return give.startsWith('STORECTL_');
}

/**
 * What has to change for the user to be asked, to stand in a hint. Undefined for a CI job, which has nobody to ask, and where
 * nothing but the end of the input keeps it from asking.
 */
export function promptHint(
  { stdin, stdout, env }: Pick<Io, 'stdin' | 'stdout' | 'env'>,
  { noInput }: { readonly noInput: boolean },
): string | undefined {
  const piped = [...(stdin.isTTY ? [] : ['input']), ...(stdout.isTTY ? [] : ['output'])];
  const inCi = isSwitchedOn(env.CI);
  const forbidden = [
    ...(noInput ? ['--no-input'] : []),
    ...(isSwitchedOn(env.STORECTL_NO_INPUT) ? ['STORECTL_NO_INPUT'] : []),
    ...(inCi ? ['CI'] : []),
  ];
  if ((inCi && piped.length > 0) || piped.length + forbidden.length === 0) return undefined;
  const where = piped.length === 1 ? `without redirecting its ${piped[0]}` : 'in a terminal';
  const how = [
    ...(piped.length > 0 ? [where] : []),
    ...(forbidden.length > 0 ? [`without ${forbidden.join(' and ')}`] : []),
  ];
  return `run the command ${how.join(' and ')} to be prompted`;
}

function howToGive([only, ...others]: readonly MissingInput[]): string {
  if (only === undefined || others.length > 0) return 'add them to the command';
  return only.give.startsWith('-') ? `pass ${only.give}` : 'add it to the command';
}
