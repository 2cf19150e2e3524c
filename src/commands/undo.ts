import type { CommandDefinition } from '../cli/command/command-definition.ts';
import type { Connection } from '../cli/command/connection.ts';
import type { Context } from '../cli/command/context.ts';
import { inputNeeded } from '../cli/command/input-needed.ts';
import { CliError, cancelledError } from '../cli/core/errors.ts';
import { exitCodes } from '../cli/core/exit-codes.ts';
import { getPath } from '../cli/core/field-path.ts';
import { sameJson } from '../cli/core/json-changes.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../cli/core/parsed-command.ts';
import type { OperationRequest, Result, Run } from '../cli/operation/call/run.ts';
import { printDryRun, printResult } from '../cli/operation/result/print-result.ts';
import { describeRestored, safetyLabel, withSafetyId } from '../cli/operation/result/restored.ts';
import { wrongConfirmation } from '../cli/operation/send/confirm.ts';
import { announce, readBeforeWrite, recording, send } from '../cli/operation/send/send.ts';
import { describeFieldChanges, describeSeenChanges } from '../cli/output/describe-changes.ts';
import { recordSummary } from '../cli/output/record-summary.ts';
import type { Operation } from '../contract/operation.ts';
import { restoreBackup } from '../contract/operations/backups.ts';
import { saveSettings, serverOwnedSettings, showSettings } from '../contract/operations/settings.ts';
import { findOperation } from '../contract/operations.ts';
import { planUndo, type Undo, type UndoneField, withFormerValues } from '../history/changes/undo.ts';

export const command: CommandDefinition = {
  description: `Take back a change of this store that was made on this machine: an update of the store, saved operations settings,
or a restore. Without an id, the last one; a terminal shows what is sent, and asks.`,
  tool: {
    description: 'Take back a change of the store, its operations settings, or a restore.',
    sends: 'recorded',
    inputs: { id: 'ID of the change, from its result or history_list' },
    confirm: 'id',
  },
  arguments: [
    {
      name: 'id',
      description: 'ID of the change (default: the last one)',
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
  examples: ['undo', 'undo k3f9a2', 'undo k3f9a2 --confirm k3f9a2 --json'],
  async run(context, parsed) {
    const given = argumentValue(parsed, 'id');
    if (given === undefined && !context.canPrompt) {
      const missing = { field: 'id', give: '<id>', description: 'id of a change in the history' };
      throw inputNeeded([missing]);
    }
    const target = await context.connect();
    const history = await context.history();
    const undo = await recording(context, async () => planUndo(history, given));
    const run = runOf(target, context, parsed, undo);
    if (context.flags.dryRun) {
      printDryRun({ ...run, request: await requestOf(run, undo) });
      return undefined;
    }
    await announce(run);
    await printResult(run, viewOf(undo), await takeBack(run, undo));
    return undefined;
  },
};

function takeBack(run: Run, undo: Undo): Promise<Result> {
  if (undo.by === 'backup') return undoRestore(run, undo);
  return undo.by === 'fields' ? undoFields(run, undo) : undoDocument(run, undo);
}

type FieldUndo = Extract<Undo, { fields: unknown }>;
type RestoreUndo = Extract<Undo, { backupId: unknown }>;

/** The run of an undo; its body is set when it is known. */
function runOf(target: Connection, context: Context, parsed: ParsedCommand, { record }: Undo): Run {
  const operation = operationOf(record.operation);
  return {
    target,
    request: { operation, parameters: {}, body: null },
    ui: { context, parsed, fields: [], interview: null },
  };
}

/** What is sent to take the change back. */
async function requestOf(run: Run, undo: Undo): Promise<OperationRequest> {
  if (undo.by === 'backup') return restoreRequest(undo);
  if (undo.by === 'fields') return { ...run.request, body: withFormerValues({}, undo.fields) };
  return saveRequest(await readCurrent(run), undo.fields);
}

function restoreRequest({ backupId, sections }: RestoreUndo): OperationRequest {
  return { operation: restoreBackup, parameters: { backupId }, body: { sections } };
}

function readCurrent(run: Run): Promise<Result> {
  return readBeforeWrite({ ...run, request: { operation: showSettings, parameters: {}, body: null } });
}

/** The present settings with the former values. */
function saveRequest({ answer }: Result, fields: readonly UndoneField[]): OperationRequest {
  const owned = (name: string) => serverOwnedSettings.some((field) => field === name);
  const next = Object.entries(withFormerValues(answer, fields)).filter(([name]) => !owned(name));
  return { operation: saveSettings, parameters: {}, body: Object.fromEntries(next) };
}

function operationOf(id: string): Operation {
  const operation = findOperation(id);
  if (operation === undefined) throw new RangeError(`${id} is no operation`);
  return operation;
}

function viewOf({ record, by }: Undo) {
  return {
    done: async (result: Result, { ui: { context } }: Run) => {
      if (result.changedNothing) return null;
      if (by === 'backup' && result.record !== null)
        return `Undid ${record.id}: ${await describeRestored(context, result.record)}`;
      return `Undid ${record.id} (${recordSummary(record, context.now()).operation})`;
    },
    show: () => '',
    id: (answer: unknown) => getPath(answer, ['id']) ?? getPath(answer, ['storeId']),
  };
}

/** The service cannot be asked for the store, so what was seen last is shown. */
async function undoFields(run: Run, undo: FieldUndo): Promise<Result> {
  const { context } = run.ui;
  const values = { now: context.now(), currency: null };
  const rows = undo.fields.map(({ path, former, seen }) => ({ path, value: former, seen }));
  const [{ updatedAt } = undo.record] = undo.later;
  context.notice(describeSeenChanges(rows, values, updatedAt, context.err));
  if (undo.later.length > 0) refuseOverLater(context, undo);
  await confirmYes(context, undo, 'Send these values?');
  return send({ ...run, request: await requestOf(run, undo) }, undoOf(undo));
}

/** Puts the former values into the present document at the changed paths only. */
async function undoDocument(run: Run, undo: FieldUndo): Promise<Result> {
  const { context } = run.ui;
  const read = await readCurrent(run);
  const open = undo.fields.filter(({ path, former }) => !isSame(getPath(read.answer, path), former));
  if (open.length === 0) {
    context.notice('The settings already have the values from before; nothing was sent.');
    const answer = { ...Object(read.answer), changed: false };
    return { ...read, answer, text: JSON.stringify(answer), changedNothing: true };
  }
  const moved = open.filter(({ path, changed }) => !isSame(getPath(read.answer, path), changed));
  const values = { now: context.now(), currency: null };
  const changes = open.map(({ path, former }) => ({
    path,
    before: getPath(read.answer, path),
    after: former,
  }));
  context.notice(describeFieldChanges(changes, values, context.err));
  if (moved.length > 0) refuseOverLater(context, undo);
  await confirmYes(context, undo, 'Save these settings?');
  return send(
    { ...run, request: saveRequest(read, open) },
    { former: JSON.stringify(read.answer), ifMatch: read.etag, ...undoOf(undo) },
  );
}

async function undoRestore(run: Run, undo: RestoreUndo): Promise<Result> {
  const { context, parsed } = run.ui;
  const { record, backupId, sections, later } = undo;
  context.notice(
    `This restores ${sections.join(', ')} from the safety backup that was taken before ${record.id}.`,
  );
  if (later.length > 0) {
    context.notice('It takes back these later changes of this machine, too:');
    for (const other of later) {
      const { id, operation, label, age } = recordSummary(other, context.now());
      context.notice(`  ${[id, operation, label, age].filter((part) => part !== null).join('  ')}`);
    }
  }
  const confirmed = optionValue(parsed, '--confirm');
  if (confirmed !== undefined && confirmed !== record.id) throw wrongConfirmation(confirmed, record.id);
  if (confirmed === undefined && !context.canPrompt) {
    const missing = {
      field: 'confirm',
      give: `--confirm ${record.id}`,
      description: 'to confirm, repeat the id',
    };
    throw inputNeeded([missing]);
  }
  if (confirmed === undefined) await confirmYes(context, undo, 'Restore them?');
  const request = restoreRequest(undo);
  const result = await send(
    { ...run, request },
    { safetyLabel: `${safetyLabel}${backupId}`, ...undoOf(undo) },
  );
  const safetyId = result.record?.safetyBackupId ?? null;
  return safetyId === null ? result : { ...withSafetyId(result, safetyId), id: safetyId };
}

/** What the user has seen of the change that is taken back. */
function undoOf({ record, later }: Undo) {
  return { undoes: record.id, seenLater: later.map(({ id }) => id) };
}

/** A field that is missing is the same as one that is null. */
function isSame(one: unknown, other: unknown): boolean {
  return sameJson(one ?? null, other ?? null);
}

/** What was changed again since is overwritten only by somebody who has seen it. */
function refuseOverLater(context: Context, { record, later }: Undo): void {
  const by = later.length === 0 ? '' : ` (by ${later.map(({ id }) => id).join(', ')})`;
  const message = `some of these fields were changed again since ${record.id}${by}`;
  if (context.canPrompt) {
    context.notice(context.err.color.yellow(`Warning: ${message}.`));
    return;
  }
  throw new CliError({
    code: 'changed_since',
    exitCode: exitCodes.conflict,
    message: `${message}; nothing was sent`,
    hint: 'run it in a terminal, which shows the values and asks, or set the fields you want',
    outcome: 'not_sent',
    operationId: record.id,
  });
}

/** A script gives the id, which is enough; a terminal always asks. */
async function confirmYes(context: Context, { record }: Undo, question: string): Promise<void> {
  if (!context.canPrompt) return;
  const { askYesNo } = await import('../cli/prompts/prompts.ts');
  const { askFromStart } = await import('../cli/prompts/questions.ts');
  await askFromStart(() => [
    async () => {
      if (!(await askYesNo(context.io, `Undo ${record.id}? ${question}`))) throw cancelledError();
    },
  ]);
}
