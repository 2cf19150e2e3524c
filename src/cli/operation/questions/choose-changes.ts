import type { Ui } from '../../command/ui.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { labelOf } from '../../output/labels.ts';
import { truncateText } from '../../output/wrap.ts';
import { askSeveral, type Choice } from '../../prompts/prompts.ts';
import type { Question, Questions } from '../../prompts/questions.ts';

interface FieldsToChange {
  readonly fields: readonly FieldFlag[];
  /** What a field has now, empty for nothing. */
  describe(field: FieldFlag): string;
  questionOf(field: FieldFlag): Question;
  /** Called for a field that was chosen before and no longer is. */
  leaveOut?(field: FieldFlag): void;
}

/** Asks which fields to change, then asks for each of them. */
export function questionsOfFields(
  { io, notice }: Ui,
  { fields, describe, questionOf, leaveOut }: FieldsToChange,
): Questions {
  const choices: Choice[] = fields.map((field) => {
    const label = labelOf(field.path);
    const now = truncateText(describe(field), 40);
    const name = now === '' ? label : `${label} (now ${now})`;
    return { value: field.flag, name, short: label, description: field.description };
  });
  let chosen: readonly string[] = [];
  const choose = async () => {
    const before = chosen;
    if (choices.every(({ name, short }) => name === short))
      notice('This machine has not seen the current values.');
    chosen = await askSeveral(io, 'What do you want to change?', choices, before);
    for (const field of fields)
      if (before.includes(field.flag) && !chosen.includes(field.flag)) leaveOut?.(field);
  };
  return () => [choose, ...fields.filter(({ flag }) => chosen.includes(flag)).map(questionOf)];
}
