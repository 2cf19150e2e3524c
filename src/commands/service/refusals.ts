import { CliError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { ServiceError } from '../../service/index.ts';

const exits: Readonly<Record<string, 5 | 6 | 7>> = {
  not_found: exitCodes.notFound,
  state_conflict: exitCodes.conflict,
  duplicate: exitCodes.conflict,
  slug_taken: exitCodes.conflict,
};

/** A refusal of the service's own rules, as the error of a command. To be thrown. */
export function describeRefusal(error: unknown, hint: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message } = error;
  return new CliError({ code, exitCode: exits[code] ?? exitCodes.rejected, message, hint });
}
