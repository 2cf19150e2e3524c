import { usageError } from './errors.ts';
import type { InputCommand } from './operation-command.ts';

/**
 * For a change that names no field: in a terminal the user chooses what shall change, elsewhere it is exit 2.
 * `example` is a flag that would change something.
 */
export function askWhatChanges(example: string): NonNullable<InputCommand['prepare']> {
  return async (body, { context, fields }) => {
    if (Object.keys(body).length > 0) return false;
    if (!context.canPrompt) {
      throw usageError('there is nothing to change', `give at least one field, for example ${example}`);
    }
    const { askChosenFields } = await import('./wizard.ts');
    await askChosenFields(context, fields, body);
    return true;
  };
}
