import { CliError, usageError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { ServiceError } from '../../service/index.ts';

const exits: Readonly<Record<string, 5 | 6 | 7>> = {
  not_found: exitCodes.notFound,
  state_conflict: exitCodes.conflict,
  duplicate: exitCodes.conflict,
  slug_taken: exitCodes.conflict,
};

/**
 * A refusal of the service's own rules, as the error of a command. To be thrown. `flags` has the flag of each field
 * that the command gives a value to.
 */
export function describeRefusal(
  error: unknown,
  hint: string,
  flags: Readonly<Record<string, string>> = {},
): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message } = error;
  if (code === 'validation_failed') {
    const fields = error.fields.map(({ pointer, detail }) => {
      const field = pointer.slice(1);
      return { field, flag: flags[field] ?? null, detail };
    });
    const reasons = fields.map(({ field, flag, detail }) => `${flag ?? field} ${detail}`);
    return usageError(reasons.join('; '), hint, { code: 'invalid_input', fields });
  }
  return new CliError({ code, exitCode: exits[code] ?? exitCodes.rejected, message, hint });
}
