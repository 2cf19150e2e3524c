import { usageError } from '../../core/errors.ts';
import type { InputCommand, PreparedInput } from '../run/operation-command.ts';

/**
 * For a change that names no field: in a terminal the user chooses what shall change, elsewhere it is exit 2.
 * `example` is a flag that would change something; `read` gets what there is now, where that can be read.
 */
export function askWhatChanges(
  operation: InputCommand['operation'],
  example: string,
  read?: (input: PreparedInput) => Promise<Record<string, unknown>>,
): NonNullable<InputCommand['prepare']> {
  return async (body, input) => {
    if (Object.keys(body).length > 0) return null;
    if (!input.context.canPrompt) {
      throw usageError('there is nothing to change', `give at least one field, for example ${example}`);
    }
    const { questionsOfChanges } = await import('./choose-changes.ts');
    return questionsOfChanges(input, operation, body, (await read?.(input)) ?? {});
  };
}
