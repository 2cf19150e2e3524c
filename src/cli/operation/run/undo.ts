import type { Operation } from '../../../contract/operation.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import type { Connection, Context } from '../../command/context.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { usageError } from '../../core/errors.ts';
import type { OptionSpec } from '../../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../../core/parsed-command.ts';
import { parseObject } from '../../input/input-files.ts';

export const undoFlag = '--undo';

export const undoOption: OptionSpec = {
  flag: undoFlag,
  value: 'ID',
  description: 'Restore the values from before this change (an id from `storectl history list`)',
  group: 'Input:',
  complete: 'record',
};

/** A change of this store that can be undone, and the document from before it. */
export interface UndoableChange {
  readonly record: HistoryRecord;
  readonly former: Record<string, unknown>;
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
    return { record, former: await parseObject(record.former ?? '', `the earlier settings in ${record.id}`) };
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

/** The command that undoes a change, or undefined if the history does not know what was there before it. */
export function undoCommandOf(record: HistoryRecord): string | undefined {
  if (record.former === null) return undefined;
  const target = record.profile === demoProfile ? '--demo' : `--profile ${record.profile}`;
  return `storectl ${target} ${record.operation.replace('.', ' ')} ${undoFlag} ${record.id}`;
}
