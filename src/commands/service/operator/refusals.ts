import { CliError, invalidFields } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { ServiceError } from '../../../service/index.ts';

const exits: Readonly<Record<string, 5 | 6 | 7>> = {
  not_found: exitCodes.notFound,
  state_conflict: exitCodes.conflict,
  duplicate: exitCodes.conflict,
  slug_taken: exitCodes.conflict,
};

/**
 * Turns a ServiceError into a CliError with the service's own words, for the caller to throw. Returns any other error
 * unchanged. `flags` maps fields to the flags that set them.
 */
export function describeRefusal(
  error: unknown,
  hint: string,
  flags: Readonly<Record<string, string>>,
): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message } = error;
  if (code === 'validation_failed') {
    const fields = error.fields.map(({ pointer, detail }) => {
      const field = pointer.slice(1);
      return { field, flag: flags[field] ?? null, detail };
    });
    return invalidFields(fields, hint);
  }
  const advice =
    code === 'slug_taken' && flags.slug !== undefined ? `choose another slug with ${flags.slug}` : hint;
  const exitCode = exits[code] ?? exitCodes.rejected;
  return new CliError({ code, exitCode, what: message, next: [{ say: advice }] });
}
