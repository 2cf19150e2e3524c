import { textAt } from '../../base/json.ts';
import type { Phrase } from '../config/phrase.ts';
import { invalidFields } from '../core/errors.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import { line } from '../core/sanitize.ts';
import { printJson } from './print-json.ts';
import { namesIn, refuseUnknownFields } from './response-fields.ts';
import type { Ui } from './ui.ts';

/** `--limit` of the commands that list what this machine knows. */
export const limitOption: OptionSpec = {
  flag: '--limit',
  value: 'N',
  description: 'Maximum number of rows (default 50 in a terminal, else all)',
  input: { type: 'integer', minimum: 1, default: 50, description: 'Maximum number of rows' },
};

/** How many rows a terminal is shown unless it asks for more. */
export const rowsInTerminal = 50;

/** Only a terminal is shown a part unless asked for. Throws a usage error if `--limit` is not a positive whole number. */
export function readLimit(parsed: ParsedCommand, ui: Ui): number {
  return givenLimit(parsed) ?? (isForPerson(ui) ? rowsInTerminal : Number.MAX_SAFE_INTEGER);
}

/** Whether a person reads this, in a terminal, and not a script. */
export function isForPerson({ out, json, quiet }: Ui): boolean {
  return out.width !== null && !json && !quiet;
}

/** The value of `--limit`, or null. Throws as {@link readLimit} does. */
export function givenLimit(parsed: ParsedCommand): number | null {
  const text = optionValue(parsed, limitOption.flag);
  if (text === undefined) return null;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  const detail = `must be a whole number, at least 1 (got "${text}")`;
  throw invalidFields([{ field: 'limit', flag: '--limit', detail }], 'for example --limit 20');
}

interface List {
  /** What is said without items. */
  readonly empty: Phrase;
  /** The field that `--quiet` prints; `id` unless given. */
  readonly id?: string;
  /** The fields of an item; those that the items have unless given. */
  readonly fields?: readonly string[];
  show(): void;
}

/**
 * Prints a list: its ids with `--quiet`, whole items with `--json`, else what `show` prints, or `empty` for no items. Throws
 * exit 2 if `--fields` names an unknown one.
 */
export function printList(
  ui: Ui,
  items: readonly object[],
  { empty, id = 'id', fields = namesIn(items), show }: List,
): void {
  if (ui.fields !== null) refuseUnknownFields(ui.fields, fields);
  if (ui.quiet) {
    for (const produced of items.map((item) => textAt(item, [id])))
      if (produced !== null) ui.print(line`${produced}`);
  } else if (ui.json) printJson(ui, items);
  else if (items.length > 0) show();
  else ui.notice(empty);
}

/** Says how many rows `--limit` has left out; `of` says what they are. */
export function noticeMore(ui: Ui, count: number, limit: number, of = String(count)): void {
  if (count > limit) ui.notice(line`Showing ${limit} of ${of}. Use --limit ${count} to see all.`);
}
