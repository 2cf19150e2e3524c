import { isObject } from '../../../base/json.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import type { Connection, Context } from '../../command/context.ts';
import { CliError, cancelledError, usageError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { sameJson } from '../../core/json-changes.ts';
import type { OptionSpec } from '../../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../../core/parsed-command.ts';
import { parseObject } from '../../input/input-files.ts';
import { upperFirst } from '../../output/labels.ts';
import { withoutColors } from '../../output/palette.ts';
import { answerBody } from '../../output/record-summary.ts';
import { flagsToReach } from './target-flags.ts';

export const undoFlag = '--undo';

export const undoOption: OptionSpec = {
  flag: undoFlag,
  value: 'ID',
  description: 'Restore the values from before this change (an id from `storectl history list`)',
  group: 'Input:',
  complete: 'record',
};

/** A change of this store that can be undone. */
export interface UndoableChange {
  readonly record: HistoryRecord;
  /** The document from before it. */
  readonly former: Record<string, unknown>;
  /** The document after it; if the service did not answer, what was sent. */
  readonly changed: Record<string, unknown>;
}

/** A field that a change set: its value from before it, the one after it, and the one that it has now. */
export interface UndoneField {
  readonly path: readonly string[];
  readonly former: unknown;
  readonly changed: unknown;
  readonly now: unknown;
}

/** The id that `--undo` gives, or undefined. Throws a usage error for fields in `body` besides it. */
export function undoneId(parsed: ParsedCommand, body: Readonly<Record<string, unknown>>): string | undefined {
  const id = optionValue(parsed, undoFlag);
  if (id !== undefined && Object.keys(body).length > 0)
    throw usageError(`${undoFlag} cannot be used with fields`, 'remove one of them');
  return id;
}

/** The change with this id. Throws a usage error if the history does not know what was there before it. */
export async function readUndoable(
  context: Context,
  { id: operation }: Operation,
  id: string,
): Promise<UndoableChange> {
  const record = await (await context.history()).get(id);
  const { origin, storeId } = await context.connect();
  const reason = reasonAgainst(record, operation, { origin, storeId });
  if (reason === null) {
    const former = await parseObject(record.former ?? '', `the earlier settings in ${record.id}`);
    const answer = answerBody(record);
    const changed = isObject(answer) ? answer : await parseObject(record.body ?? '{}', null);
    return { record, former, changed };
  }
  throw usageError(
    `${record.id} ${reason}, so it cannot be undone here`,
    `run \`storectl history list --operation ${operation}\` to see the changes`,
  );
}

function reasonAgainst(
  record: HistoryRecord,
  operation: string,
  { origin, storeId }: Pick<Connection, 'origin' | 'storeId'>,
): string | null {
  if (record.operation !== operation) return `was not made by ${operation.replace('.', ' ')}`;
  if (record.origin !== origin || record.storeId !== storeId)
    return `changed another store (${record.storeId} @ ${record.origin})`;
  return record.former === null ? 'has no previous values on this machine' : null;
}

/**
 * False if all fields have their former values already. If some were changed again since, asks in a terminal whether to
 * overwrite them, and throws exit 6 elsewhere. `id` is the record of the change to undo.
 */
export async function confirmUndo(
  context: Context,
  id: string,
  fields: readonly UndoneField[],
): Promise<boolean> {
  const open = fields.filter(({ former, now }) => !isSame(former, now));
  const moved = open.filter(({ changed, now }) => !isSame(changed, now));
  if (moved.length === 0) return open.length > 0;
  const { describeFieldChanges } = await import('../../output/describe-changes.ts');
  const changes = moved.map(({ path, changed, now }) => ({ path, before: changed, after: now }));
  const values = { now: context.now(), currency: null };
  const message = `changed again since ${id}:\n${describeFieldChanges(changes, values, { color: withoutColors, width: null })}`;
  if (!context.canPrompt) {
    throw new CliError({
      code: 'changed_since',
      exitCode: exitCodes.conflict,
      message: `${message}\nnothing was sent`,
      hint: 'give the values with flags instead of --undo, or run this in a terminal, which asks whether to undo it anyway',
      outcome: 'not_sent',
    });
  }
  context.notice(upperFirst(message));
  const { askYesNo } = await import('../../prompts/prompts.ts');
  const { askFromStart } = await import('../../prompts/questions.ts');
  await askFromStart(() => [
    async () => {
      if (!(await askYesNo(context.io, 'Undo it anyway?'))) throw cancelledError();
    },
  ]);
  return true;
}

/** A field that is missing is the same as one that is null. */
function isSame(a: unknown, b: unknown): boolean {
  return sameJson(a ?? null, b ?? null);
}

/** The command that undoes a change, or undefined if the history does not know what was there before it. */
export async function undoCommandOf(context: Context, record: HistoryRecord): Promise<string | undefined> {
  if (record.former === null) return undefined;
  const command = [...record.operation.split('.'), undoFlag, record.id];
  return ['storectl', ...(await flagsToReach(context, record)), ...command].join(' ');
}
