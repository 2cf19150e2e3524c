import type { Ui } from '../../command/ui.ts';
import { getPath, removePath, textAt } from '../../core/field-path.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { formatValue } from '../../output/format-value.ts';
import { labelOf } from '../../output/labels.ts';
import { truncateText } from '../../output/wrap.ts';
import { askSeveral, type Choice } from '../../prompts/prompts.ts';
import type { Question, Questions } from '../../prompts/questions.ts';
import type { PreparedInput } from '../call/operation-command.ts';
import { askInto } from './ask-missing.ts';

/** A choice besides the fields, which leads to other questions. */
export interface MoreChanges {
  readonly name: string;
  readonly questions: readonly Question[];
}

interface FieldsToChange {
  readonly fields: readonly FieldFlag[];
  readonly more?: MoreChanges | undefined;
  /** What is shown after the label of a field, such as its value. */
  describe(field: FieldFlag): string;
  questionOf(field: FieldFlag): Question;
  /** Called for a field that was chosen before and no longer is. */
  leaveOut?(field: FieldFlag): void;
}

/** Asks which fields to change, then asks for each of them. */
export function questionsOfFields(
  { io }: Ui,
  { fields, more, describe, questionOf, leaveOut }: FieldsToChange,
): Questions {
  const choices: Choice[] = fields.map((field) => {
    const label = labelOf(field.path);
    return { value: field.flag, name: label + describe(field), short: label, description: field.description };
  });
  if (more !== undefined) choices.push({ value: more.name, name: more.name });
  let chosen: readonly string[] = [];
  const choose = async () => {
    const before = chosen;
    chosen = await askSeveral(io, 'What do you want to change?', choices, before);
    for (const field of fields)
      if (before.includes(field.flag) && !chosen.includes(field.flag)) leaveOut?.(field);
  };
  return () => [
    choose,
    ...fields.filter(({ flag }) => chosen.includes(flag)).map(questionOf),
    ...(more !== undefined && chosen.includes(more.name) ? more.questions : []),
  ];
}

interface CurrentValues {
  readonly current: Readonly<Record<string, unknown>>;
  readonly more: MoreChanges | undefined;
  /** Whether an empty answer clears the field. */
  canClear(path: readonly string[]): boolean;
}

/**
 * Lets the user choose fields of a partial update, then asks for each of them. Their values in `current` are shown and
 * offered for editing. The answers are stored in `body`.
 */
export function questionsOfChanges(
  { ui, session, fields }: PreparedInput,
  body: Record<string, unknown>,
  { current, canClear, more }: CurrentValues,
): Questions {
  const values = { currency: textAt(current, ['defaultCurrency']) };
  return questionsOfFields(ui, {
    fields,
    more,
    describe({ path }) {
      const value = getPath(current, path) ?? '';
      return value === '' ? '' : ` (now ${truncateText(formatValue(path.at(-1) ?? '', value, values), 40)})`;
    },
    questionOf: (field) => () =>
      askInto(ui, session, body, field, {
        now: getPath(current, field.path),
        canClear: canClear(field.path),
      }),
    leaveOut: ({ path }) => removePath(body, path),
  });
}
