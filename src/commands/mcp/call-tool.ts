import { asObject, isObject } from '../../base/json.ts';
import { nearName } from '../../base/nearest-name.ts';
import type { Failure } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { adviseAssistant } from '../../cli/output/failure-text.ts';
import type { OutcomeKind } from '../../client/outcome/outcome.ts';
import { toCallResult } from './result.ts';
import { type CommandEnd, type Inputs, runCommand, runTool } from './run-command.ts';
import type { CallToolResult } from './sdk.ts';
import type { Setup, Tool } from './tools.ts';

/** Runs the command of a tool, or says why it must not run. Nothing is thrown. */
export async function callTool(
  setup: Setup,
  tool: Tool,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<CallToolResult | 'confirmation needed'> {
  const { confirm: _, ...given } = inputs;
  const problems = inputProblems(tool, given);
  if (problems.length > 0)
    return refused(tool, { code: 'invalid_input', fields: problems }, 'Correct the input, then call again.');
  if (tool.spec.sends === 'recorded') {
    const words = ['history', 'show'];
    const shown = await runCommand(setup, { words, argv: ['--', String(inputs.id)], signal });
    if (shown.exitCode !== exitCodes.done) return toolResult(tool, beforeSending(shown));
    const operation = isObject(shown.data) ? String(shown.data.operation) : '';
    if (!setup.allowed.has(operation))
      return refused(
        tool,
        { code: 'not_allowed' },
        `The user has not allowed ${operation} here. Only they can do it.`,
      );
  }
  const result = await runTool(setup, tool, inputs, { signal });
  return needsConfirmation(result) ? 'confirmation needed' : toolResult(tool, result);
}

/** Nothing else is missing. */
function needsConfirmation({ exitCode, error }: CommandEnd): boolean {
  const fields = error?.fields ?? [];
  return (
    exitCode === exitCodes.inputNeeded &&
    fields.length > 0 &&
    fields.every(({ field }) => field === 'confirm')
  );
}

/** A call that sends nothing. */
export function refused(tool: Tool, error: unknown, next: string, untrusted?: Inputs): CallToolResult {
  const outcome = tool.isWrite ? 'not_sent' : undefined;
  return toCallResult({ ok: false, outcome, error, next, ...(untrusted && { untrusted }) });
}

/** The result of a read that failed before a change. */
export function beforeSending(result: CommandEnd): CommandEnd {
  const { error } = result;
  return { ...result, error: error === null ? null : { ...error, outcome: 'not_sent' } };
}

/** The result of a command as the result of its tool. */
export function toolResult(tool: Tool, result: CommandEnd): CallToolResult {
  const { exitCode, error, data, appliedId, secret } = result;
  // Its sentence and exit code are for a command line.
  const { message: _, exitCode: __, ...settled } = tool.spec.sends === 'recorded' ? asObject(data) : {};
  const outcome = tool.isWrite ? outcomeOf(result, settled.state) : undefined;
  const recordId = error?.operationId ?? appliedId ?? settled.id;
  const historyId = typeof recordId === 'string' && tool.isWrite ? recordId : undefined;
  const described = error === null ? null : describeError(error);
  // A response of the service names the error, in its own words.
  const isOwn = error?.status === undefined;
  const untrusted = {
    ...(data !== null && { data: tool.spec.sends === 'recorded' ? settled : data }),
    ...(described !== null && !isOwn && { error: described }),
  };
  return toCallResult(
    {
      ok: exitCode === exitCodes.done,
      outcome,
      historyId,
      ...(described !== null && isOwn && { error: described }),
      next: adviseAssistant({ tool: tool.name, exitCode, failure: error, outcome, historyId }),
      ...(Object.keys(untrusted).length > 0 && { untrusted }),
    },
    secret,
  );
}

const outcomes: readonly OutcomeKind[] = ['applied', 'rejected', 'not_sent', 'unknown'];

/** `state` is the settled record's. */
function outcomeOf({ exitCode, error, appliedId }: CommandEnd, state: unknown): OutcomeKind | undefined {
  if (state !== undefined) return state === 'sent' ? 'unknown' : outcomes.find((kind) => kind === state);
  if (exitCode === exitCodes.done) return appliedId === undefined ? 'not_sent' : 'applied';
  return exitCode === exitCodes.unknown ? 'unknown' : error?.outcome;
}

/** What an error says as data: its sentences are for people at a command line. */
function describeError({ code, reason, status, requestId, retryAt, safetyBackupId, fields }: Failure) {
  return {
    code,
    reason,
    status,
    requestId,
    retryAt,
    safetyBackupId,
    fields: fields?.map(({ field, detail }) => ({ field, detail })),
  };
}

/** Inputs that the command does not take or that are missing, as the errors of commands say it. It checks their values. */
function inputProblems(
  { spec, given, fields, operation }: Tool,
  inputs: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly detail: string }[] {
  const names = [...Object.keys(given), ...Object.keys(fields)];
  // Some commands take all there is without an id.
  const missing = Object.keys(spec.inputs ?? {}).filter((field) => inputs[field] === undefined);
  const unknown = Object.keys(inputs).filter((field) => !names.includes(field));
  const wrong = unknown.flatMap((field) => {
    const near = nearName(names, field);
    if (near !== null) return [{ field, detail: `unknown input: did you mean ${near}?` }];
    // A service may take fields that the contract does not name.
    return operation?.body ? [] : [{ field, detail: 'unknown input' }];
  });
  return [...wrong, ...missing.map((field) => ({ field, detail: 'is required' }))];
}
