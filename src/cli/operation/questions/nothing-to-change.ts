import { terminalNeeded } from '../../command/input-needed.ts';
import { getPath, removePath, textAt } from '../../core/field-path.ts';
import { formatValue } from '../../output/format-value.ts';
import type { Questions } from '../../prompts/questions.ts';
import type { PreparedInput, WhatChanges } from '../call/operation-command.ts';
import { askInto } from './ask-missing.ts';
import { questionsOfFields } from './choose-changes.ts';

/**
 * For an update without fields: a terminal lets the user choose some, whose current values are shown and offered for editing;
 * elsewhere it is exit 3.
 */
export async function askWhatChanges(
  { example, canClear = () => false, read }: WhatChanges,
  body: Record<string, unknown>,
  input: PreparedInput,
): Promise<Questions> {
  const { ui, fields } = input;
  if (!ui.canAsk) {
    throw terminalNeeded('nothing to change', `pass at least one field, for example ${example}`);
  }
  const current = await read(input);
  const values = { currency: textAt(current, ['defaultCurrency']) };
  return questionsOfFields(ui, {
    fields,
    describe: ({ path }) => formatValue(path.at(-1) ?? '', getPath(current, path) ?? '', values),
    questionOf: (field) => () =>
      askInto(ui, body, field, {
        now: getPath(current, field.path),
        canClear: canClear(field.path),
      }),
    leaveOut: ({ path }) => removePath(body, path),
  });
}
