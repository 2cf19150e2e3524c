import { type ConnectionSettings, demoProfile } from '../config/connection-settings.ts';
import { CliError, type Next, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';

/** A required value that was not given. */
export interface MissingInput {
  readonly field: string;
  /** How to give it: `--label TEXT`, `<backupId>`. */
  readonly give: string;
  readonly description: string;
}

/** The store and the address, if no source gives them. */
export function missingConnection({
  profile,
  storeId,
  baseUrl,
}: Pick<ConnectionSettings, 'profile' | 'storeId' | 'baseUrl'>): MissingInput[] {
  const missing: MissingInput[] = [];
  if (profile === demoProfile) return missing;
  const address = 'base URL of the service, or STORECTL_BASE_URL';
  if (baseUrl === null) missing.push({ field: 'baseUrl', give: '--base-url URL', description: address });
  const store = 'store to work on, or STORECTL_STORE_ID';
  if (storeId === null) missing.push({ field: 'storeId', give: '--store ID', description: store });
  return missing;
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
  const howTo = connection
    ? 'run `storectl auth login` to store the base URL, store id and key, or try it without an account: `storectl --demo …`'
    : [howToGive(missing), otherwise].filter(Boolean).join(', ');
  return new CliError({
    code: 'input_needed',
    exitCode: exitCodes.inputNeeded,
    next: [{ say: howTo }],
    outcome: 'not_sent',
    fields: missing.map(({ field, give, description }) => ({
      field,
      flag: give.split(' ')[0] ?? give,
      detail: description,
      give,
    })),
  });
}

/** The end of a hint: what else is possible where a terminal would be asked. */
export const orBePrompted = 'or run the command in a terminal, without --no-input and CI, to be prompted';

function howToGive([only, ...others]: readonly MissingInput[]): string {
  if (only === undefined || others.length > 0) return 'add them to the command';
  return only.give.startsWith('-') ? `pass ${only.give}` : 'add it to the command';
}
