import { usageError } from '../../core/errors.ts';
import type { InputCommand, PreparedInput } from '../run/operation-command.ts';

/**
 * For an update without fields: a terminal lets the user choose some, elsewhere it is exit 2. `example` is a flag for the
 * error; `read` returns the current values.
 */
export function askWhatChanges(
  example: string,
  read?: (input: PreparedInput) => Promise<Record<string, unknown>>,
): NonNullable<InputCommand['prepare']> {
  return async (body, input) => {
    if (Object.keys(body).length > 0) return null;
    if (!input.context.canPrompt) {
      throw usageError('nothing to change', `give at least one field, for example ${example}`);
    }
    const { questionsOfChanges } = await import('./choose-changes.ts');
    return questionsOfChanges(input, body, (await read?.(input)) ?? {});
  };
}
