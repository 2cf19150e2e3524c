import { textAt, valueAt } from '../../../base/json.ts';
import { terminalNeeded } from '../../command/input-needed.ts';
import type { Ui } from '../../command/ui.ts';
import { removePath } from '../../core/field-path.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { formatValue } from '../../output/format-value.ts';
import { labelOf } from '../../output/labels.ts';
import { truncateText } from '../../output/wrap.ts';
import { askSeveral, type Choice } from '../../prompts/prompts.ts';
import type { Question, Questions } from '../../prompts/questions.ts';
import type { CurrentValues, GivenInput, WhatChanges } from '../call/operation-input.ts';
import { askInto } from './ask-missing.ts';

/**
 * For an update without fields: lets the user choose the fields to change, and asks for each. Current values are shown and offered for
 * editing. Throws exit 3 without a terminal.
 */
export async function askWhatChanges(
  { example, canClear = () => false, read }: WhatChanges,
  body: Record<string, unknown>,
  input: GivenInput,
): Promise<Questions> {
  const { ui, fields } = input;
  if (!ui.canAsk) {
    throw terminalNeeded('nothing to change', `pass at least one field, for example ${example}`);
  }
  const values = await read(input);
  return questionsOfFields(ui, {
    ...values,
    fields: [...fields, ...(values.moreFields ?? [])],
    questionOf: (field) => () =>
      askInto(ui, body, field, { now: valueAt(values.current, field.path), canClear: canClear(field.path) }),
    leaveOut: ({ path }) => removePath(body, path),
  });
}

interface FieldsToChange extends CurrentValues {
  readonly fields: readonly FieldFlag[];
  questionOf(field: FieldFlag): Question;
  /** Called for a field that the user had chosen before, and has not chosen this time. */
  leaveOut?(field: FieldFlag): void;
}

/** Asks which fields to change, then asks for each of them. */
export function questionsOfFields(
  { io, notice }: Ui,
  { fields, current, isSeen = () => true, questionOf, leaveOut }: FieldsToChange,
): Questions {
  const isAnySeen = fields.some(({ path }) => isSeen(path));
  const values = { currency: textAt(current, ['defaultCurrency']) };
  const choices: Choice[] = fields.map(({ path, flag, description }) => {
    const label = labelOf(path);
    const now = truncateText(formatValue(path.at(-1) ?? '', valueAt(current, path) ?? '', values), 40);
    const known = now === '' ? label : `${label} (now ${now})`;
    const name = isAnySeen && !isSeen(path) ? `${label} (not seen)` : known;
    return { value: flag, name, short: label, description };
  });
  let chosen: readonly string[] = [];
  const choose = async () => {
    const before = chosen;
    if (!isAnySeen) notice('This machine has not seen the current values.');
    chosen = await askSeveral(io, 'What do you want to change?', choices, before);
    for (const field of fields)
      if (before.includes(field.flag) && !chosen.includes(field.flag)) leaveOut?.(field);
  };
  return () => [choose, ...fields.filter(({ flag }) => chosen.includes(flag)).map(questionOf)];
}
