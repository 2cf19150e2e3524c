import { type ConnectionSettings, demoProfile, settingVariables } from '../config/connection-settings.ts';
import { quoteCommand } from '../core/command-text.ts';
import { CliError, type Next, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Environment, isSwitchedOn } from '../core/io.ts';

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

/**
 * Exit 3: one message that names every missing value and how to give it. The hint is to log in first if the store is not
 * known, unless this is the login itself.
 */
export function inputNeeded(
  missing: readonly MissingInput[],
  otherwise?: string,
  advice: 'login' | 'flags' = 'login',
): CliError {
  const connection =
    advice === 'login' && missing.some(({ field }) => field === 'baseUrl' || field === 'storeId');
  const isByVariable = missing.some(({ field, give }) => field !== 'apiKey' && isVariable(give));
  const others = missing.some(({ give }) => !isVariable(give));
  const howTo = isByVariable
    ? `set the variables for this step, the key from a secret${others ? ', and add the rest to the command' : ''}`
    : connection
      ? `run ${quoteCommand('auth', 'login')} to store the base URL, store id and key, or try it without an account: ${quoteCommand('--demo', '…')}`
      : [howToGive(missing), otherwise].filter(Boolean).join(', ');
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

/** The end of a hint: what else is possible where a terminal would be asked. */
export const promptHint = 'or run the command in a terminal, without --no-input and CI, to be prompted';

function howToGive([only, ...others]: readonly MissingInput[]): string {
  if (only === undefined || others.length > 0) return 'add them to the command';
  return only.give.startsWith('-') ? `pass ${only.give}` : 'add it to the command';
}
