import { terminalNeeded } from '../../command/input-needed.ts';
import { getPath, removePath, textAt } from '../../core/field-path.ts';
import { formatValue } from '../../output/format-value.ts';
import type { InputCommand, PreparedInput } from '../call/operation-command.ts';

interface WhatChanges {
  /** A flag for the error. */
  readonly example: string;
  /** Whether an empty answer clears the field. */
  canClear?(path: readonly string[]): boolean;
  /** The current values. */
  read(input: PreparedInput): Promise<Record<string, unknown>>;
}

/**
 * For an update without fields: a terminal lets the user choose some, whose current values are shown and offered for editing;
 * elsewhere it is exit 3.
 */
export function askWhatChanges({
  example,
  canClear = () => false,
  read,
}: WhatChanges): NonNullable<InputCommand['prepare']> {
  return async (body, input) => {
    if (Object.keys(body).length > 0) return null;
    if (!input.ui.canAsk) {
      throw terminalNeeded('nothing to change', `pass at least one field, for example ${example}`);
    }
    const { ui, session, fields } = input;
    const { askInto } = await import('./ask-missing.ts');
    const { questionsOfFields } = await import('./choose-changes.ts');
    const current = await read(input);
    const values = { currency: textAt(current, ['defaultCurrency']) };
    return questionsOfFields(ui, {
      fields,
      describe: ({ path }) => formatValue(path.at(-1) ?? '', getPath(current, path) ?? '', values),
      questionOf: (field) => () =>
        askInto(ui, session, body, field, {
          now: getPath(current, field.path),
          canClear: canClear(field.path),
        }),
      leaveOut: ({ path }) => removePath(body, path),
    });
  };
}
