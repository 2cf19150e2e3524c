import { asObject, isSameValue, textAt, valueAt } from '../base/json.ts';
import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { terminalNeeded } from '../cli/command/input-needed.ts';
import type { Ui } from '../cli/command/ui.ts';
import { CliError, cancelledError, type Step } from '../cli/core/errors.ts';
import { exitCodes } from '../cli/core/exit-codes.ts';
import { argumentValue } from '../cli/core/parsed-command.ts';
import { joined, line, type Printable } from '../cli/core/sanitize.ts';
import {
  type ChangeOptions,
  newRun,
  type OperationRequest,
  type Result,
  type Run,
  unchangedResult,
} from '../cli/operation/call/run.ts';
import { confirmById } from '../cli/operation/confirm.ts';
import { printDryRun, printResult } from '../cli/operation/result/print-result.ts';
import { announce } from '../cli/operation/send/announce.ts';
import { readBeforeWrite } from '../cli/operation/send/read.ts';
import type { RefusalSteps } from '../cli/operation/send/refusals.ts';
import { withHistoryErrors } from '../cli/operation/send/refusals.ts';
import { changeOptions, refuseEarlier, send } from '../cli/operation/send/send.ts';
import { type CurrentDocument, tryReadDocument } from '../cli/operation/send/try-read-document.ts';
import { drawRecord, rowsOfChanges, rowsOfSeenChanges } from '../cli/output/describe-changes.ts';
import { labelOf } from '../cli/output/labels.ts';
import { recordSummary } from '../cli/output/record-summary.ts';
import { agrees } from '../cli/prompts/ask-or-fail.ts';
import { restoreBackup } from '../contract/operations/backups.ts';
import { clientFields, saveSettings, showSettings } from '../contract/operations/settings.ts';
import { showStore, updateStore } from '../contract/operations/store.ts';
import { replacedValues, shownNow } from '../history/changes/replaced-values.ts';
import {
  planUndo,
  type Undo,
  type UndoneField,
  waitForRunning,
  withReplacedValues,
} from '../history/changes/undo.ts';
import { type HistoryRecord, isInDoubt, receivedBody, sentBody } from '../history/record/history-record.ts';
import {
  describeReplaced,
  describeRestored,
  offerBackup,
  restoredView,
  safetyLabelOf,
  sendRestore,
} from './backup/for-others.ts';

export const command: CommandDefinition = {
  description: `Take back a change of this store that was made on this machine: an update of the store, saved operations settings,
or a restore. A terminal shows what is sent, and asks; without an id it takes the last change that is neither undone
nor an undo.`,
  tool: {
    description: 'Take back a change of the store, its operations settings, or a restore.',
    sends: 'recorded',
    inputs: { id: 'ID of the change, from its result or history_list' },
    confirm: 'id',
  },
  arguments: [
    {
      name: 'id',
      description: 'ID of the change; a terminal may leave it out',
      optional: true,
      complete: 'record',
    },
  ],
  options: [
    {
      flag: '--confirm',
      value: 'ID',
      description: 'Confirm the undo of a restore without a prompt: repeat the id of the change',
      group: 'Safety:',
    },
  ],
  dryRun: true,
  withoutEffect: 'nothing was changed',
  examples: ['undo', 'undo k3f9a2', 'undo k3f9a2 --confirm k3f9a2 --json'],
  async run({ ui, session, parsed }) {
    const given = argumentValue(parsed, 'id');
    if (given === undefined && !ui.canAsk)
      throw terminalNeeded('the id of a change is required', [
        { run: ['history', 'list'], rest: 'to see the ids' },
      ]);
    const target = await session.connect();
    const history = await session.history();
    const undo = await withHistoryErrors(
      session,
      async () => {
        await waitForRunning(history, changeOptions({ target, ui, session }));
        return planUndo(history.snapshot(), given);
      },
      steps,
    );
    const request = { operation: operations[undo.by], parameters: {}, body: null };
    const run = newRun({ ui, session, parsed }, target, request);
    const { dryRun } = session.flags;
    if (!dryRun) await announce(run);
    const prepared = await (undo.by === 'backup'
      ? prepareRestore(run, undo)
      : undo.by === 'fields'
        ? prepareFields(run, undo)
        : prepareDocument(run, undo, await readSettings(run)));
    if ('unchanged' in prepared) {
      return printResult(run, viewOf(undo), prepared.unchanged);
    }
    const { request: sent, question, safetyLabel, ...options } = prepared;
    const whole = { ...run, request: sent };
    const change = { ...options, undoes: undo.record.id, seenLater: undo.later.map(({ id }) => id) };
    if (dryRun) {
      await refuseEarlier(whole, change);
      return printDryRun(whole);
    }
    await confirm(whole, undo, question);
    const result = await (safetyLabel === undefined
      ? send(whole, change)
      : sendRestore(whole, safetyLabel, change));
    return printResult(run, viewOf(undo), result);
  },
};

/** The change that undoes another one, for the user to agree to; or the result if there is nothing to change. */
type PreparedUndo =
  | (ChangeOptions & {
      readonly request: OperationRequest;
      readonly question: string;
      /** Of a restore. */
      readonly safetyLabel?: string;
    })
  | { readonly unchanged: Result };

/** The next step for a change that cannot be undone: to restore a backup from before it, which the user or the service took. */
function stepsToRestore(change: HistoryRecord | null): readonly Step[] {
  const { sections = ['store'] } = asObject(change && sentBody(change));
  const own = change?.safetyBackupId ?? null;
  const id = own ?? textAt(change && receivedBody(change), ['preRestoreBackupId']);
  if (id === null || !Array.isArray(sections))
    return [{ run: ['history', 'show', change?.id ?? ''], rest: 'to see it' }];
  const run = ['backup', 'restore', id, '--sections', sections.join(',')];
  return [{ run, rest: `to restore what ${own === null ? 'the service' : 'you'} backed up before it` }];
}

/** The next steps if a change cannot be undone. */
const steps: RefusalSteps = {
  no_safety_backup: stepsToRestore,
  replaced_unknown: stepsToRestore,
  nothing_to_undo: () => [{ run: ['history', 'list'], rest: 'to see the changes and undos of this store' }],
};

const operations = { backup: restoreBackup, fields: updateStore, document: saveSettings };

type FieldUndo = Extract<Undo, { fields: unknown }>;

function viewOf({ record, by }: Undo) {
  return {
    done: async (result: Result, { session }: Run) => {
      if (by === 'backup' && result.record !== null)
        return `Undid ${record.id}: restored ${await describeRestored(session, result.record)}`;
      return `Undid ${record.id} (${recordSummary(record).operation})`;
    },
    show: (result: Result) => (by === 'backup' ? restoredView.show(result) : []),
    note: (result: Result) => (by === 'backup' ? restoredView.note(result) : null),
  };
}

/** Shows the replaced values beside the present ones, or beside those that this machine has seen last. */
async function prepareFields(run: Run, undo: FieldUndo): Promise<PreparedUndo> {
  const { ui, session } = run;
  const current = await tryReadDocument(run, showStore);
  if (current !== null) return prepareDocument(run, undo, storeAsShown(run, current));
  const changes = undo.fields.map(({ path, replaced, seen }) => ({ path, before: seen, after: replaced }));
  const [{ updatedAt } = undo.record] = undo.later;
  ui.notice(introduce(undo));
  ui.notice(await drawRecord(rowsOfSeenChanges(changes, {}, updatedAt), ui.err));
  const moved = undo.fields.filter(({ seen, changed }) => !isSameValue(seen, changed));
  if (moved.length > 0) refuseOverLater(ui, undo, moved);
  const isOffered = undo.fields.some(({ seen }) => seen === undefined) && !session.flags.dryRun;
  const safetyBackupId = isOffered ? await offerBackup(run, 'This undo') : undefined;
  const request = { ...run.request, body: withReplacedValues({}, undo.fields) };
  return { request, question: 'send these values', safetyBackupId };
}

/** The present document, and how the replaced values are put into it. */
interface Present {
  /** The line for a document that has the replaced values already. */
  readonly unchanged: Printable;
  readonly document: Readonly<Record<string, unknown>>;
  readonly question: string;
  /** The body that puts these fields back. */
  change(fields: readonly UndoneField[]): Omit<Extract<PreparedUndo, { request: unknown }>, 'question'>;
}

function storeAsShown({ request }: Run, { document, keyOfRead, ifMatch }: CurrentDocument): Present {
  return {
    unchanged: line`The store already has the values from before; nothing was sent.`,
    document,
    question: 'send these values',
    change(fields) {
      const body = withReplacedValues({}, fields);
      const replaced = replacedValues(shownNow(document), body);
      return { request: { ...request, body }, replaced, keyOfRead, ifMatch };
    },
  };
}

async function readSettings(run: Run): Promise<Present> {
  const reading = { operation: showSettings, parameters: {}, body: null };
  const { response, etag } = await readBeforeWrite({ ...run, request: reading });
  return {
    unchanged: line`The settings already have the values from before; nothing was sent.`,
    document: asObject(response),
    question: 'save these settings',
    change: (fields) => ({
      request: { ...run.request, body: clientFields(withReplacedValues(response, fields)) },
      replaced: asObject(response),
      ifMatch: etag,
    }),
  };
}

/** Puts the replaced values into the present document at the changed paths only. */
async function prepareDocument(run: Run, undo: FieldUndo, present: Present): Promise<PreparedUndo> {
  const { ui } = run;
  const { unchanged, document, question } = present;
  const open = undo.fields.filter(({ path, replaced }) => !isSameValue(valueAt(document, path), replaced));
  // A change in doubt may still set other values. Then the undo is sent even if nothing has to change: it supersedes that change.
  if (open.length === 0 && !undo.later.some(isInDoubt)) {
    ui.notice(unchanged);
    return { unchanged: unchangedResult(document) };
  }
  const moved = open.filter(({ path, changed }) => !isSameValue(valueAt(document, path), changed));
  const changes = open.map(({ path, replaced }) => ({
    path,
    before: valueAt(document, path),
    after: replaced,
  }));
  ui.notice(introduce(undo));
  ui.notice(await drawRecord(rowsOfChanges(changes), ui.err));
  if (moved.length > 0) refuseOverLater(ui, undo, moved);
  return { ...present.change(open.length === 0 ? undo.fields : open), question };
}

async function prepareRestore(
  run: Run,
  { record, later, backupId, sections }: Extract<Undo, { backupId: unknown }>,
): Promise<PreparedUndo> {
  const { ui, session } = run;
  const request = { ...run.request, parameters: { backupId }, body: { sections } };
  const { removed, returned } = asObject(valueAt(receivedBody(record), ['sections', 'blog']));
  const notes = [
    line`${record.id} restored ${await describeRestored(session, record)}.`,
    ...(Number(removed) > 0 ? [line`The posts that it removed come back.`] : []),
    ...(Number(returned) > 0 ? [line`The posts that it brought back are removed.`] : []),
  ];
  ui.notice(joined(notes, ' '));
  ui.notice(await describeReplaced({ ...run, request }, true, { record, later }));
  return { request, question: 'restore this backup', safetyLabel: await safetyLabelOf(session, backupId) };
}

function introduce({ record }: Undo): Printable {
  const { id, operation, age } = recordSummary(record);
  return line`This takes back ${id} (${operation}, ${age}):`;
}

/** Refuses to overwrite values that were changed again since. A terminal only gets a warning, because it shows the values and asks. */
function refuseOverLater(ui: Ui, { record }: FieldUndo, moved: readonly UndoneField[]): void {
  const message = `${moved.map(({ path }) => labelOf(path)).join(', ')} changed again since ${record.id}`;
  if (ui.canAsk) {
    ui.notice(line`Warning: ${message}.`, 'yellow');
    return;
  }
  throw new CliError({
    code: 'changed_since',
    exitCode: exitCodes.conflict,
    what: message,
    next: [{ say: 'run it in a terminal, which shows the values and asks, or set the fields you want' }],
    outcome: 'not_sent',
    operationId: record.id,
  });
}

/** Asks in a terminal. A script has given the id, which is enough except for the undo of a restore. */
async function confirm(run: Run, { record, by }: Undo, what: string): Promise<void> {
  const { ui } = run;
  const question = `Undo ${record.id} and ${what}?`;
  if (by === 'backup') return confirmById(run, record.id, question);
  if (!ui.canAsk) return;
  if (!(await agrees(ui, question))) throw cancelledError();
}
