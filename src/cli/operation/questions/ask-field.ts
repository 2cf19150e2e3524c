import { asObject, isObject } from '../../../base/json.ts';
import { inputHintOf, isClosed } from '../../../contract/fields.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../core/io.ts';
import { findFormProblems } from '../../input/check-forms.ts';
import { type FieldFlag, parseFlag, remarkOf } from '../../input/field-flags.ts';
import { labelOf } from '../../output/labels.ts';
import { chooseOrType, other } from '../../prompts/choose-or-type.ts';
import { askChoice, askSeveral, askText, type Choice } from '../../prompts/prompts.ts';

/** Values to offer when asking for a field. */
export interface FieldHints {
  /** The earlier answer, which is offered for editing. */
  readonly before?: unknown;
  /** Suggested values. Other values are accepted as well. */
  readonly words?: readonly string[] | undefined;
  /** No other values are accepted. */
  readonly isWhole?: boolean;
  /** Of a switch: the present value, which is shown. */
  readonly now?: unknown;
  /** Whether an empty answer in place of the earlier one clears the field, and a deleted entry is removed. */
  readonly canClear?: boolean;
  /** Choices besides `words`. The value of a chosen one is returned unchanged. */
  readonly actions?: readonly Choice[];
}

/** Asks for a field of the request and validates the answer against the contract. */
export async function askField(
  io: Io,
  field: FieldFlag,
  {
    before,
    now,
    words = [],
    isWhole = isClosed(field.schema),
    canClear = false,
    actions = [],
  }: FieldHints = {},
): Promise<unknown> {
  if (field.kind === 'boolean') {
    const nameOf = (isOn: boolean) => (isOn ? 'Yes' : 'No');
    const choices = [true, false].map((isOn) => ({
      value: String(isOn),
      name: isOn === now ? `${nameOf(isOn)} (now)` : nameOf(isOn),
      short: nameOf(isOn),
    }));
    return (await askChoice(io, field.description, choices, String(before))) === 'true';
  }
  if (words.length > 0) {
    const question = promptOf(field, inputHintOf(field.schema).remark ?? '');
    if (field.kind === 'list') {
      const { description } = field;
      const earlier = Array.isArray(before) ? before.map(String) : [];
      return askSeveral(
        io,
        question,
        words.map((word) => ({ ...asChoice(word), description })),
        earlier,
      );
    }
    const isOther = typeof before === 'string' && !words.includes(before);
    const preset = isOther ? other.value : textOf(before);
    const choices = [...words.map(asChoice), ...actions];
    if (isWhole) return askChoice(io, question, choices, textOf(before));
    return chooseOrType(io, question, choices, preset, () => askLine(io, field, isOther ? { before } : {}));
  }
  return askLine(io, field, { before, canClear });
}

/** The label of the field as results have it, with its unit or format: `Cashback cap (cents)`. */
function promptOf({ path }: FieldFlag, ...remarks: readonly string[]): string {
  const shown = remarks.filter((remark) => remark !== '').join(', ');
  return shown === '' ? labelOf(path) : `${labelOf(path)} (${shown})`;
}

async function askLine(
  io: Io,
  field: FieldFlag,
  { before, canClear = false }: FieldHints = {},
): Promise<unknown> {
  const preset = before === undefined || before === null ? undefined : textOf(before);
  const remark = remarkOf(field);
  const hasForm = field.kind === 'number' || inputHintOf(field.schema).example !== undefined;
  const isNeeded = preset === undefined || inputHintOf(field.schema).example === undefined;
  const several = field.kind === 'list' || field.kind === 'map' ? 'comma-separated' : '';
  const isClearable = canClear && preset !== undefined;
  const text = await askText(
    io,
    promptOf(field, isNeeded ? remark : '', several, isClearable ? 'empty to clear' : ''),
    {
      preset,
      replacesPreset: hasForm,
      optional: isClearable,
      lineBreaks: field.fileFlag !== null,
      validate: (answer) => (isClearable && answer.trim() === '') || (problemOf(field, answer) ?? true),
    },
  );
  if (text.trim() === '') return null;
  const value = valueFrom(field, text);
  if (!canClear || !isObject(value)) return value;
  return { ...Object.fromEntries(Object.keys(asObject(before)).map((name) => [name, null])), ...value };
}

/** The value as a user would type it. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .filter(([, item]) => item !== null)
    .map(([name, item]) => `${name}=${item}`)
    .join(', ');
}

function valueFrom(field: FieldFlag, text: string): unknown {
  // Values of a map may contain commas.
  return parseFlag(field, field.kind === 'map' ? text.trim().split(/,\s*(?=[^\s,=]+=)/) : [text.trim()]);
}

/** Why a text is not valid for the field, or null. */
function problemOf(field: FieldFlag, text: string): string | null {
  if (text.trim() === '') return 'A value is required';
  try {
    const value = valueFrom(field, text);
    const { error } = field.schema.safeParse(value);
    const problem = error?.issues[0]?.message ?? findFormProblems(field.schema, value)[0]?.problem;
    return problem === undefined ? null : `${labelOf(field.path)} ${problem}`;
  } catch (error) {
    const [problem] = error instanceof CliError ? (error.failure.fields ?? []) : [];
    if (problem === undefined) throw error;
    const unit = field.kind === 'number' ? remarkOf(field) : '';
    return [`${labelOf(field.path)} ${problem.detail}`, unit].filter(Boolean).join('; ');
  }
}

const asChoice = (word: string): Choice => ({ value: word, name: word });
