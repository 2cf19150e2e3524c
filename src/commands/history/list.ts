import { textAt } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { limitOption, noticeMore, printList, readLimit } from '../../cli/command/lists.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import type { OptionSpec } from '../../cli/core/option-spec.ts';
import { choiceOf, isOn } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { countRecords } from '../../cli/output/record-summary.ts';
import { operations } from '../../contract/operations/operations.ts';
import { readSeen } from '../../history/objects/seen-objects.ts';
import { isDamage } from '../../history/record/errors.ts';
import {
  type HistoryRecord,
  isInDoubt,
  logIdOf,
  objectIdOf,
  rawOperationId,
  receivedBody,
  recordStates,
} from '../../history/record/history-record.ts';
import { byRun, drawChanges, type RunOfChanges } from './draw-changes.ts';
import { summarize } from './summarize.ts';

/** `open` is all that `resume` takes. */
const states = [...recordStates, 'open'] as const;

/** Of a record in JSON. */
const recordFields: readonly string[] = [
  ...['id', 'createdAt', 'age', 'operation', 'label', 'storeId', 'baseUrl'],
  ...['state', 'open', 'result', 'undoneBy', 'idempotencyKey', 'attempts'],
];

const recordedOperations: readonly string[] = [
  ...operations.filter((known) => known.class !== 'read').map(({ id }) => id),
  rawOperationId,
];

const allOption: OptionSpec = {
  flag: '--all',
  description: 'Show each change of a batch in a row of its own, as --json does',
};

export const command: CommandDefinition = {
  description: `List the changes recorded on this machine for the store in use, newest first: what was sent or not,
whether it was applied, and what is still open. A batch is one row. Changes made elsewhere are not included: the service has no list of changes.`,
  tool: { description: 'List the changes of the store that were sent from this machine, newest first.' },
  options: [
    {
      flag: '--operation',
      value: 'NAME',
      description: 'Show only this operation, for example backup.create',
      complete: recordedOperations,
      input: { type: 'string', enum: recordedOperations },
    },
    {
      flag: '--state',
      value: 'STATE',
      description: `Show only this state: ${states.join(', ')}; unknown is in doubt, open is what resume takes`,
      complete: states,
      input: { type: 'string', enum: states },
    },
    allOption,
    limitOption,
  ],
  responseFields: () => recordFields,
  examples: ['history list', 'history list --operation backup.create --json', 'history list --state open'],
  async run({ ui, session, parsed }) {
    const operation = choiceOf(parsed, '--operation', recordedOperations);
    const state = choiceOf(parsed, '--state', states);
    const limit = readLimit(parsed, ui);
    const history = await session.history();
    // All records are needed to know what was undone, and which short ids are unique.
    const { records: all, problems } = history.snapshot().list();
    const records = all
      .filter((record) => operation === undefined || record.operation === operation)
      .filter((record) => state === undefined || isIn(state, record));
    for (const { message, advice } of problems) {
      ui.notice(line`warning: ${message}`, 'yellow');
      if (advice !== null) ui.notice(line`  ${advice}`);
    }
    if (problems.some(isDamage))
      ui.notice(
        phrase`Run ${toRun('history', 'repair')} to keep what can be read. Until then, changes that read it are not sent.`,
      );
    const isFiltered = operation !== undefined || state !== undefined;
    // Who looks for a state wants to see the changes that have it.
    const isEach = isOn(parsed, allOption.flag) || state !== undefined;
    const runs = isEach ? records.map((record) => [record]) : byRun(records);
    printList(ui, summarize(records.slice(0, limit), all), {
      fields: recordFields,
      empty: isFiltered
        ? line`No matching records on this machine.`
        : line`No history yet on this machine for this store.`,
      show() {
        const seen = readSeen(history.journal.folder).map(({ id }) => id);
        const made = all.flatMap((record) => [objectIdOf(record), textAt(receivedBody(record), ['id'])]);
        const changes = summarize(runs.slice(0, limit).flat(), all);
        const shown = isEach ? changes.map((change): RunOfChanges => [change]) : byRun(changes);
        ui.print(drawChanges(shown, ui, [...seen, ...made.filter((id) => id !== null)]));
        ui.notice(line`Stored in ${history.journal.folder}`);
        const [batch] = shown.filter(({ length }) => length > 1).map(([newest]) => logIdOf(newest.id));
        if (batch !== undefined)
          ui.notice(phrase`Run ${toRun('history', 'show', batch)} to see each change of a batch.`);
        if (records.some(({ open }) => open))
          ui.notice(phrase`Run ${toRun('resume')}: it finishes open changes, or says what to do about them.`);
        noticeMore(ui, runs.length, limit, isEach ? countRecords(records) : `${runs.length} commands`);
      },
    });
  },
};

/** Whether a record is in a state that the user asked for. A record in doubt that says `sent` counts as `unknown`. */
function isIn(state: (typeof states)[number], record: HistoryRecord): boolean {
  if (state === 'open') return record.open;
  return record.state === state || (state === 'unknown' && isInDoubt(record));
}
