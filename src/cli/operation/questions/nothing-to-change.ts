import { usageError } from '../../core/errors.ts';
import type { InputCommand, PreparedInput } from '../run/operation-command.ts';
import type { MoreChanges } from './choose-changes.ts';

/**
 * For an update without fields: a terminal lets the user choose some, elsewhere it is exit 2. `example` is a flag for the
 * error; `read` returns the current values; `more` adds what is no single field.
 */
export function askWhatChanges(
  example: string,
  read: (input: PreparedInput) => Promise<Record<string, unknown>>,
  more?: (
    input: PreparedInput,
    body: Record<string, unknown>,
    current: Readonly<Record<string, unknown>>,
  ) => Promise<MoreChanges>,
): NonNullable<InputCommand['prepare']> {
  return async (body, input) => {
    if (Object.keys(body).length > 0) return null;
    if (!input.context.canPrompt) {
      throw usageError('nothing to change', `pass at least one field, for example ${example}`);
    }
    const { questionsOfChanges } = await import('./choose-changes.ts');
    const current = await read(input);
    return questionsOfChanges(input, body, current, await more?.(input, body, current));
  };
}
