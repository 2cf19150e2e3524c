import { getPath, removePath } from '../../core/field-path.ts';
import { type FieldFlag, nameOfField } from '../../input/field-flags.ts';
import { formatValue } from '../../output/format-value.ts';
import { askSeveral } from '../../prompts/prompts.ts';
import type { Questions } from '../../prompts/questions.ts';
import type { PreparedInput } from '../run/operation-command.ts';
import { askInto } from './ask-missing.ts';

/**
 * Lets the user choose fields of a partial update, then asks for each of them. Their values in `current` are shown and
 * offered for editing. The answers are stored in `body`.
 */
export function questionsOfChanges(
  { context, fields }: PreparedInput,
  body: Record<string, unknown>,
  current: Readonly<Record<string, unknown>>,
): Questions {
  const values = { now: context.now(), currency: null };
  const choices = fields.map((field) => {
    const value = getPath(current, field.path) ?? '';
    const now = value === '' ? '' : ` (now ${[...formatValue('', value, values)].slice(0, 40).join('')})`;
    return { value: field.flag, name: field.description + now, short: nameOfField(field) };
  });
  let chosen: readonly FieldFlag[] = [];
  const choose = async () => {
    const before = chosen.map(({ flag }) => flag);
    const flags = await askSeveral(context.io, 'What do you want to change?', choices, before);
    for (const { flag, path } of chosen) if (!flags.includes(flag)) removePath(body, path);
    chosen = fields.filter(({ flag }) => flags.includes(flag));
  };
  const questionOf = (field: FieldFlag) => ({
    ask: () => askInto(context, body, field, { now: getPath(current, field.path) }),
  });
  return () => [{ ask: choose }, ...chosen.map(questionOf)];
}
