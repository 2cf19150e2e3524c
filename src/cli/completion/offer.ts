import type { KnownItem, Places } from './ids.ts';
import type { CompletedCommand, CompletedValue, CompletionModel } from './model.ts';

/** The command line up to the cursor, without `storectl`. */
export interface TypedLine {
  /** The words before the one at the cursor. */
  readonly before: readonly string[];
  /** The word at the cursor, up to the cursor. */
  readonly current: string;
}

/** What completion offers at the cursor. */
export interface Offer {
  /** In display order, not yet narrowed to what is typed. */
  readonly items: readonly KnownItem[];
  /** The part of the current word that stays in front of each item, such as `--sections=store,`. */
  readonly kept: string;
  /** A comma and another item may follow. */
  readonly mayContinue?: boolean;
  /** The shell offers files. */
  readonly files?: boolean;
}

const nothing: Offer = { items: [], kept: '' };

/** What Tab offers for a command line. Settings and history are read for ids only. */
export async function offerFor(
  model: CompletionModel,
  { before, current }: TypedLine,
  places: Places,
): Promise<Offer> {
  const { command, position, pending, ended, asksHelp } = follow(model, before);
  const offerValue = (value: CompletedValue, text: string, kept = '') =>
    valuesFor(value, text, kept, async (kind) => {
      const { completeIds } = await import('./ids.ts');
      return completeIds(kind, before, places);
    });
  if (pending !== null) return offerValue(pending, current);
  const [, flag, text = ''] = (ended ? null : /^(--[^=]*)=(.*)$/s.exec(current)) ?? [];
  if (flag !== undefined) {
    const value = flagValue(model, command, flag);
    return value === null ? nothing : offerValue(value, text, `${flag}=`);
  }
  if (!ended && current.startsWith('-')) return flagsOf(model, command);
  const commands = Object.entries(command.commands);
  if (commands.length > 0) {
    const summaries = commands.map(([id, { summary }]) => [id, summary]);
    const listed = asksHelp ? [...summaries, ...Object.entries(model.topics)] : summaries;
    const items = listed.map(([id = '', description = '']) => ({ id, description }));
    return position === 0 ? { items, kept: '' } : nothing;
  }
  const argument = command.arguments[position] ?? (command.variadic ? command.arguments.at(-1) : undefined);
  if (argument !== undefined) return offerValue(argument, current);
  return !ended && current === '' ? flagsOf(model, command) : nothing;
}

interface Place {
  readonly command: CompletedCommand;
  /** Number of arguments before the cursor. */
  readonly position: number;
  /** The value of the flag before the cursor, or null. */
  readonly pending: CompletedValue | null;
  /** After `--` nothing is a flag. */
  readonly ended: boolean;
  /** `help` was typed, and no command after it. */
  readonly asksHelp: boolean;
}

/** Follows the typed words to a command and a position in it. */
function follow(model: CompletionModel, words: readonly string[]): Place {
  let place: Place = { command: model.program, position: 0, pending: null, ended: false, asksHelp: false };
  for (const word of words) {
    const { command, position, pending, ended } = place;
    const next = Object.hasOwn(command.commands, word) ? command.commands[word] : undefined;
    if (pending !== null) place = { ...place, pending: null };
    else if (!ended && word === '--') place = { ...place, ended: true };
    else if (!ended && /^--[^=]*=/.test(word)) continue;
    else if (!ended && /^-./.test(word)) place = { ...place, pending: flagValue(model, command, word) };
    else if (next !== undefined) place = { ...place, command: next, asksHelp: false };
    // `storectl help backup` completes as `storectl backup` does.
    else if (command === model.program && word === 'help') place = { ...place, asksHelp: true };
    else place = { ...place, position: position + 1 };
  }
  return place;
}

/** The value that a flag takes, or null for a switch or an unknown flag. */
function flagValue(model: CompletionModel, command: CompletedCommand, name: string): CompletedValue | null {
  return [...command.flags, ...model.flags].find(({ names }) => names.includes(name))?.value ?? null;
}

function flagsOf(model: CompletionModel, command: CompletedCommand): Offer {
  const items = [...command.flags, ...model.flags].flatMap(({ names, description }) =>
    names.map((id) => ({ id, description })),
  );
  return { items, kept: '' };
}

async function valuesFor(
  { words, kind, list }: CompletedValue,
  text: string,
  kept: string,
  findIds: (kind: NonNullable<CompletedValue['kind']>) => Promise<readonly KnownItem[]>,
): Promise<Offer> {
  if (kind === 'file') return { items: [], kept, files: true };
  if (kind !== undefined) return { items: await findIds(kind), kept };
  if (words === undefined) return nothing;
  const describe = (id: string) => ({ id, description: '' });
  if (!list) return { items: words.map(describe), kept };
  const chosen = text.slice(0, text.lastIndexOf(',') + 1);
  const left = words.filter((word) => !chosen.split(',').includes(word));
  return { items: left.map(describe), kept: kept + chosen, mayContinue: left.length > 1 };
}
