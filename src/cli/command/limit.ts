import { usageError } from '../core/errors.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import type { Context } from './context.ts';

/** `--limit` of the commands that list something. */
export const limitOption: OptionSpec = {
  flag: '--limit',
  value: 'N',
  description: 'Maximum number of rows (default 50)',
};

/** Throws a usage error if `--limit` is not a positive whole number. */
export function readLimit(parsed: ParsedCommand): number {
  const limit = Number(optionValue(parsed, limitOption.flag) ?? '50');
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw usageError('--limit must be a whole number, at least 1', 'for example --limit 20');
}

/** Says how many rows `--limit` has left out. */
export function noticeMore(context: Context, count: number, limit: number): void {
  if (count > limit) context.notice(`${count - limit} more. --limit ${count} shows all.`);
}
