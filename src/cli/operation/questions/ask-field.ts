import type { Io } from '../../core/io.ts';
import { isObject } from '../../core/json-value.ts';
import { printable } from '../../core/sanitize.ts';
import { type FieldFlag, nameOfField, parseFlag } from '../../input/field-flags.ts';
import { EditorFailed, editText } from '../../prompts/editor.ts';
import { askChoice, askSeveral, askText, askYesNo, type Choice } from '../../prompts/prompts.ts';
import { unlessBack } from '../../prompts/questions.ts';

/** What is known about a field before it is asked for. */
export interface FieldHints {
  /** What was answered before: offered to be kept or changed. */
  readonly before?: unknown;
  /** Words that are usual for it. Any other can be given as well. */
  readonly words?: readonly string[] | undefined;
}

/** Asks for a field of the request in its own words, and holds the answer to the contract's rules for it. */
export async function askField(
  io: Io,
  field: FieldFlag,
  { before, words = [] }: FieldHints = {},
): Promise<unknown> {
  if (field.kind === 'boolean') return askYesNo(io, `${field.description}?`, before === true);
  if (words.length > 0) {
    return field.kind === 'list' ? askWords(io, field, words, before) : askWord(io, field, words, before);
  }
  if (field.fileFlag !== null && (io.env.VISUAL || io.env.EDITOR)) return askLongText(io, field, before);
  return askLine(io, field, before);
}

async function askLine(io: Io, field: FieldFlag, before?: unknown): Promise<unknown> {
  const several = field.kind === 'list' || field.kind === 'map' ? ' (commas between several)' : '';
  const text = await askText(io, field.description + several, {
    preset: before === undefined || before === null ? undefined : textOf(before),
    lineBreaks: field.fileFlag !== null,
    validate: (answer) => problemOf(field, answer) ?? true,
  });
  return valueFrom(field, text);
}

/** The value as one would type it. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${item}`)
    .join(', ');
}

function valueFrom(field: FieldFlag, text: string): unknown {
  // What stands between two names of a map may hold commas of its own.
  return parseFlag(field, field.kind === 'map' ? text.trim().split(/,\s*(?=[^\s,=]+=)/) : [text.trim()]);
}

/** What keeps a text from being the field's value, or null. */
function problemOf(field: FieldFlag, text: string): string | null {
  if (text.trim() === '') return 'this is needed';
  try {
    const { error } = field.schema.safeParse(valueFrom(field, text));
    return error === undefined ? null : (error.issues[0]?.message ?? 'this is not valid');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Stands for what the user types, where words are offered. */
const another: Choice = { value: '', name: 'another one' };

const asChoice = (word: string): Choice => ({ value: word, name: word });

async function askWord(
  io: Io,
  field: FieldFlag,
  words: readonly string[],
  before: unknown,
): Promise<unknown> {
  const isOther = typeof before === 'string' && !words.includes(before);
  for (let preset = isOther ? another.value : textOf(before); ; ) {
    preset = await askChoice(io, nameOfField(field), [...words.map(asChoice), another], preset);
    if (preset !== another.value) return preset;
    // Back to the words that were offered, and no further.
    const typed = await unlessBack(() => askLine(io, field, isOther ? before : undefined));
    if (typed !== null) return typed;
  }
}

async function askWords(
  io: Io,
  field: FieldFlag,
  words: readonly string[],
  before: unknown,
): Promise<string[]> {
  const earlier = Array.isArray(before) ? before.map(String) : [];
  const others = earlier.filter((word) => !words.includes(word));
  for (let preset = [...earlier, ...(others.length > 0 ? [another.value] : [])]; ; ) {
    preset = await askSeveral(io, nameOfField(field), [...words.map(asChoice), another], preset);
    if (!preset.includes(another.value)) return preset;
    const chosen = preset.filter((word) => word !== another.value);
    // Whoever chooses all of the list at once has chosen to name another one as well.
    const typed = await unlessBack(() => askOthers(io, field, others, chosen.length > 0));
    if (typed !== null) return [...new Set([...chosen, ...typed])];
  }
}

async function askOthers(
  io: Io,
  field: FieldFlag,
  before: readonly string[],
  optional: boolean,
): Promise<string[]> {
  const hint = optional ? 'commas between several, empty for none' : 'commas between several';
  const text = await askText(io, `${nameOfField(field)}, others (${hint})`, {
    optional,
    preset: before.length > 0 ? before.join(', ') : undefined,
    validate: (answer) => (optional && answer.trim() === '') || (problemOf(field, answer) ?? true),
  });
  const value = text.trim() === '' ? [] : valueFrom(field, text);
  return Array.isArray(value) ? value.map(String) : [];
}

/** A line is enough for a short text; an empty one opens the editor. What was written before is kept unless edited. */
async function askLongText(io: Io, field: FieldFlag, before: unknown): Promise<string> {
  let text = typeof before === 'string' ? before : '';
  if (text === '') {
    const line = await askText(io, `${field.description} (Enter alone opens your editor)`, {
      optional: true,
    });
    if (line.trim() !== '') return line;
  } else {
    const kept = await askChoice(io, field.description, [
      { value: 'keep', name: `keep what you wrote: ${shorten(text)}` },
      { value: 'edit', name: 'change it in your editor' },
    ]);
    if (kept === 'keep') return text;
  }
  for (;;) {
    let problem: string | null;
    try {
      text = await editText(io, text, `${field.path.at(-1) ?? 'text'}.md`);
      problem = problemOf(field, text);
    } catch (error) {
      if (!(error instanceof EditorFailed)) throw error;
      text = error.text;
      problem = error.message;
    }
    if (problem === null) return text;
    const again = await askChoice(io, `${field.description}: ${printable(problem)}`, [
      { value: 'edit', name: 'back to your editor' },
      { value: 'line', name: 'write it here, in one line' },
    ]);
    const preset = text === '' ? undefined : text;
    if (again === 'line') return askText(io, field.description, { lineBreaks: true, preset });
  }
}

/** The beginning of a text, for a list of choices. */
function shorten(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const start = [...printable(first)];
  const cut = start.length > 40 || rest.length > 0;
  return cut ? `${start.slice(0, 40).join('')}…` : first;
}
