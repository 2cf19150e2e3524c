import { isObject } from '../../base/json.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { Io } from '../../cli/core/io.ts';
import type { OutcomeKind } from '../../client/outcome.ts';
import { type Answer, type LongTexts, toResult } from './answer.ts';
import { inputProblem, unknownInputs } from './describe-tool.ts';
import { explainExitCode } from './explain-exit-code.ts';
import { type CommandCall, type CommandResult, runCommand } from './run-command.ts';
import type { CallToolResult } from './sdk.ts';
import { inToolWords } from './tool-words.ts';
import type { Tool } from './tools.ts';

/** What holds for the lifetime of the server. */
export interface Session {
  readonly io: Io;
  readonly profile: string;
  /** Where the calls go, for people: `main → store 4be5… @ api.example.com`. */
  readonly target: string;
  /** Options of every call: profile, store and address, so that they cannot change between calls. */
  readonly argv: readonly string[];
  /** Operations that may be sent. */
  readonly allowed: ReadonlySet<string>;
  /** `--read-only` was given. */
  readonly isReadOnly: boolean;
  readonly texts: LongTexts;
}

export type Inputs = Readonly<Record<string, unknown>>;
type Control = Pick<CommandCall, 'signal' | 'onProgress'>;

/** Runs the command of a tool. Every outcome is an answer; nothing is thrown. */
export async function callTool(
  session: Session,
  tool: Tool,
  inputs: Inputs,
  control: Control,
): Promise<CallToolResult> {
  const refusal = refuse(session, tool, inputs);
  if (refusal !== null) return toResult(refusal, session.texts, null);
  const sends = tool.name === 'resume' && (await mayBeSentAgain(session, inputs, control));
  const result = await runCommand(session.io, {
    ...control,
    argv: argvOf(session, tool, inputs, sends),
    stdin: stdinOf(tool, inputs),
  });
  return toResult(answerOf(session, tool, inputs, result), session.texts, result.secret);
}

export function isAllowed({ allowed }: Session, { write }: Tool): boolean {
  return write === null || allowed.has(write.id);
}

function refuse(session: Session, tool: Tool, inputs: Inputs): Answer | null {
  const outcome = tool.write === null ? undefined : 'not_sent';
  const problem = inputProblem(tool, inputs);
  if (problem !== null)
    return { ok: false, outcome, exitCode: exitCodes.usage, next: `Correct the input: ${problem}.` };
  if (isAllowed(session, tool) || inputs.dryRun === true) return null;
  const next = `${tool.name} is not allowed, so nothing was sent. Call it with dryRun true, or ask the user to start the server ${wayToAllow(session, tool)}.`;
  return { ok: false, outcome, next };
}

function wayToAllow({ isReadOnly }: Session, { write }: Tool): string {
  return isReadOnly ? `with --allow ${write?.id} and without --read-only` : `with --allow ${write?.id}`;
}

/** Whether the operation of the record with this id is allowed. */
async function mayBeSentAgain(session: Session, { id }: Inputs, control: Control): Promise<boolean> {
  const argv = ['history', 'show', ...session.argv, '--', String(id)];
  const { data } = await runCommand(session.io, { ...control, argv });
  return isObject(data) && session.allowed.has(String(data.operation));
}

/** Every value is joined to its option or stands after `--`, so that none can become an option. */
function argvOf(session: Session, tool: Tool, inputs: Inputs, sends: boolean): string[] {
  const options = Object.entries(tool.options).flatMap(([name, { flag }]) => {
    const value = inputs[name];
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [`${flag}=${value}`];
  });
  return [
    ...tool.words,
    ...session.argv,
    ...options,
    ...(inputs.dryRun === true ? ['--dry-run'] : []),
    ...(tool.name === 'resume' && !sends ? ['--dry-run'] : []),
    ...(tool.confirm !== null && inputs.confirm !== undefined ? [`--confirm=${inputs.confirm}`] : []),
    ...(tool.rows === null ? [] : ['--from=-']),
    ...(bodyOf(tool, inputs) === null ? [] : ['--from-file=-']),
    '--',
    ...tool.positionals.flatMap((name) => (inputs[name] === undefined ? [] : [String(inputs[name])])),
  ];
}

/** The fields of the request, or null if none is given. */
function bodyOf(tool: Tool, inputs: Inputs): Record<string, unknown> | null {
  if (tool.body === null) return null;
  const others = new Set([...tool.positionals, ...Object.keys(tool.options), 'confirm', 'dryRun']);
  const fields = Object.entries(inputs).filter(([name]) => !others.has(name));
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

function stdinOf(tool: Tool, inputs: Inputs): string | undefined {
  const rows = tool.rows === null ? undefined : inputs[tool.rows.name];
  if (Array.isArray(rows)) return rows.map((row) => JSON.stringify(row)).join('\n');
  const body = bodyOf(tool, inputs);
  return body === null ? undefined : JSON.stringify(body);
}

function answerOf(session: Session, tool: Tool, inputs: Inputs, result: CommandResult): Answer {
  const { exitCode, data, error, applied } = result;
  const outcome = outcomeOf(tool, inputs, result);
  const recordId =
    error?.operationId ?? applied.at(-1) ?? (tool.name === 'resume' && isObject(data) ? data.id : null);
  const historyId = typeof recordId === 'string' ? recordId : undefined;
  const { outcome: _, operationId: __, ...described } = error ?? {};
  return {
    ok: exitCode === exitCodes.done,
    outcome,
    historyId,
    exitCode,
    next: nextStep(session, tool, inputs, result, outcome, historyId),
    ...separate(tool, inputs, error === null ? null : inToolWords(described, tool), result),
  };
}

/** Errors of these kinds are found before the service is asked. */
const ownErrors: readonly unknown[] = [exitCodes.usage, exitCodes.inputNeeded, exitCodes.localState];
const demoNote = 'demo: example data on this machine, not a real store';

/** Only what certainly has no text of the service is said as storectl's own. */
function separate(
  tool: Tool,
  inputs: Inputs,
  error: CommandResult['error'],
  { exitCode, data, notes }: CommandResult,
): Pick<Answer, 'own' | 'untrusted'> {
  const isOwnError = ownErrors.includes(exitCode) && error?.status === undefined && data === null;
  // A warning may quote the service.
  const isOwnData =
    tool.name === 'doctor' &&
    exitCode === exitCodes.done &&
    !JSON.stringify(data).includes('the service answered');
  const others = notes.filter((note) => note !== demoNote);
  const unknown = unknownInputs(tool, inputs);
  const said = [
    ...(others.length < notes.length ? [demoNote] : []),
    ...(unknown.length > 0 ? [`not in the contract: ${unknown.join(', ')}`] : []),
  ];
  const own = {
    ...(error !== null && isOwnError && { error }),
    ...(isOwnData && { data }),
    ...(said.length > 0 && { notes: said }),
  };
  const untrusted = {
    ...(error !== null && !isOwnError && { error }),
    ...(data !== null && !isOwnData && { data }),
    ...(others.length > 0 && { notes: others }),
  };
  return { own, ...(Object.keys(untrusted).length > 0 && { untrusted }) };
}

const outcomes: readonly OutcomeKind[] = ['applied', 'rejected', 'not_sent', 'unknown'];

function outcomeOf(
  tool: Tool,
  { dryRun }: Inputs,
  { exitCode, data, error, applied }: CommandResult,
): OutcomeKind | undefined {
  if (tool.name === 'resume' && isObject(data)) {
    return data.state === 'sent' ? 'unknown' : outcomes.find((kind) => kind === data.state);
  }
  if (tool.write === null) return undefined;
  if (dryRun === true) return 'not_sent';
  if (exitCode === exitCodes.done) return applied.length > 0 ? 'applied' : 'not_sent';
  return exitCode === exitCodes.unknown ? 'unknown' : outcomes.find((kind) => kind === error?.outcome);
}

function nextStep(
  session: Session,
  tool: Tool,
  { dryRun }: Inputs,
  { exitCode, error }: CommandResult,
  outcome: OutcomeKind | undefined,
  historyId: string | undefined,
): string | undefined {
  if (outcome === 'unknown') {
    return tool.name === 'resume'
      ? 'Still unknown: it may have been applied. Do not send it again. Tell the user what the message says; only they can check the store, or restart the server with --allow so that resume can send it again with the same key.'
      : `It may have been applied. Do not call ${tool.name} again. Call resume with id ${historyId ?? 'from history_list (state unknown)'}, which settles it.`;
  }
  if (exitCode === exitCodes.inputNeeded && asksToConfirm(error)) {
    return `Nothing was sent. Ask the user, then call again with confirm set to ${tool.confirm === null ? 'the number of decisions' : `the same id as ${tool.confirm}`}.`;
  }
  if (exitCode !== exitCodes.done) return explainExitCode(exitCode);
  if (dryRun === true) {
    return isAllowed(session, tool)
      ? 'Nothing was sent. Call again without dryRun to send it.'
      : `Nothing was sent. To send it, the user has to start the server ${wayToAllow(session, tool)}.`;
  }
  if (tool.write === null) return undefined;
  return outcome === 'applied'
    ? (tool.after ?? undefined)
    : 'Nothing was sent, because nothing had to change.';
}

function asksToConfirm(error: CommandResult['error']): boolean {
  const fields: unknown = error?.fields;
  return Array.isArray(fields) && fields.some((field) => isObject(field) && field.field === 'confirm');
}
