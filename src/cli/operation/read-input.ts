import { valueAt } from '../../base/json.ts';
import { kindOfParameter } from '../../contract/objects.ts';
import { describeParameter, type Operation } from '../../contract/operation.ts';
import type { CommandCall } from '../command/command-definition.ts';
import { inputNeeded, type MissingInput, missingKey, missingPlace } from '../command/input-needed.ts';
import { refuseUnknownFields } from '../command/response-fields.ts';
import type { Session } from '../command/session.ts';
import { nameOfStore } from '../config/connection-settings.ts';
import { notTogether } from '../core/errors.ts';
import { argumentValue, choiceOf, type ParsedCommand } from '../core/parsed-command.ts';
import { ciIdempotencyKey } from '../input/ci-run.ts';
import { type FieldFlag, flagValues } from '../input/field-flags.ts';
import { checkParameter, idParameter } from '../input/path-parameter.ts';
import { checkBody, fieldsToNameByFlag, readBody } from '../input/request-body.ts';
import { openOutputFile } from '../output/output-file.ts';
import { missingConfirmation } from '../prompts/ask-or-fail.ts';
import type { Questions } from '../prompts/questions.ts';
import type { GivenInput, InputSteps, OperationInput } from './call/operation-input.ts';
import { fieldsOf, responseFields } from './call/operation-options.ts';
import { newRun, type Run } from './call/run.ts';
import { isConfirmedByFlag } from './confirm.ts';
import { findId } from './find-ids.ts';

/**
 * Reads and checks the input of an operation, and connects. In a terminal, the user is asked for missing values; elsewhere one error (exit
 * 3) names them all. Throws exit 2 for invalid values, with the field and flag of each.
 */
export async function readInput(
  { ui, session, parsed }: CommandCall,
  input: OperationInput,
  steps: InputSteps = {},
): Promise<Run> {
  const { operation, defaults = {} } = input;
  const isSent = (steps.isSent ?? true) && !session.flags.dryRun;
  // A read changes nothing, so `--fields` is checked after it, by the fields that the response has.
  if (ui.fields !== null && isSent && operation.class !== 'read')
    refuseUnknownFields(ui.fields, responseFields(input));
  const fields = fieldsOf(input);
  const read = operation.body === null ? null : await readBody(session, operation, fields, parsed);
  const body = read?.body ?? null;
  const given = { ui, session, parsed, fields, lineOf: read?.lineOf };
  let questions: Questions | null = null;
  if (body !== null) {
    for (const [name, value] of Object.entries(defaults)) body[name] ??= value;
    if (steps.whatChanges !== undefined && Object.keys(body).length === 0) {
      const { askWhatChanges } = await import('./questions/what-changes.ts');
      questions = await askWhatChanges(steps.whatChanges, body, given);
    }
    await steps.prepare?.(body, given);
    if (operation.class === 'keyed') await useKeyFromCi(session, operation, parsed, body);
  }
  const run = await complete(given, input, steps, body, questions);
  if (session.flags.dryRun || input.confirm === undefined) return run;
  return { ...run, isConfirmed: await isConfirmedByFlag(run, run.request.parameters[input.confirm] ?? '') };
}

/** Connects, and asks for missing values. `questions` are those about the fields to change, which the user has answered already. */
async function complete(
  given: GivenInput,
  { operation, confirm }: OperationInput,
  { introduce, isReviewed, offersAll }: InputSteps,
  body: Record<string, unknown> | null,
  questions: Questions | null,
): Promise<Run> {
  const { ui, session, parsed, fields, lineOf } = given;
  const settings = await session.settings();
  if (settings.storeId) checkParameter(nameOfStore(settings.storeId.source), settings.storeId.value);
  const name = idParameter(operation);
  const id =
    name === undefined ? undefined : await readId(session, operation, name, argumentValue(parsed, name));
  const parameters = name === undefined || id === undefined ? {} : { [name]: id };
  checkBody(operation, fieldsToNameByFlag(fields, parsed), body, lineOf);

  // A missing idempotency key is made later, when the change is recorded.
  const absent = fields.filter(
    (field) =>
      field.required && field.path.join('.') !== 'idempotencyKey' && valueAt(body, field.path) === undefined,
  );
  const connection = missingPlace(settings, session.io.env);
  const missing: MissingInput[] = [
    ...connection,
    ...(name === undefined || id !== undefined
      ? []
      : [{ field: name, give: `<${name}>`, description: describeParameter(name) }]),
    ...absent.map(describeMissing),
    ...(ui.canAsk || session.flags.dryRun || confirm === undefined || parsed.options.has('--confirm')
      ? []
      : [missingConfirmation(id ?? `<${confirm}>`)]),
  ];
  const isAsked = missing.length > 0 || questions !== null || isReviewed === true;
  if (isAsked && (!ui.canAsk || connection.length > 0)) {
    // If only the API key is missing, `connect` below says so.
    throw inputNeeded(
      [...missing.slice(0, connection.length), ...missingKey(settings), ...missing.slice(connection.length)],
      { prompt: ui.promptHint },
    );
  }
  const writeOutput = session.flags.dryRun ? () => {} : openOutputFile(session.io, parsed);
  // A missing API key is an error before the user is asked anything.
  const target = await session.connect();
  const request = { operation, parameters, body };
  const run: Run = { ...newRun(given, target, request), fields, writeOutput };
  if (!isAsked) return run;
  const { askMissing } = await import('./questions/ask-missing.ts');
  const asked = await askMissing(run, parameters, {
    introduce,
    offersAll,
    first: questions,
    fields: absent,
  });
  return { ...run, questions: asked };
}

/** Sets the idempotency key by the CI run, for `--idempotency-from ci`. */
async function useKeyFromCi(
  session: Session,
  operation: Operation,
  parsed: ParsedCommand,
  body: Record<string, unknown>,
): Promise<void> {
  if (choiceOf(parsed, '--idempotency-from', ['ci']) === undefined) return;
  if (body.idempotencyKey !== undefined) throw notTogether('--idempotency-from', '--idempotency-key');
  const { storeId } = await session.settings();
  body.idempotencyKey = await ciIdempotencyKey(session.io.env, operation.id, storeId?.value ?? '');
}

/** The whole id that an argument stands for. */
async function readId(
  session: Session,
  operation: Operation,
  name: string,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  checkParameter(`<${name}>`, given);
  const kind = kindOfParameter(name);
  return kind === undefined ? given : findId(session, kind, given, { byName: operation.class === 'read' });
}

function describeMissing(field: FieldFlag): MissingInput {
  const value = flagValues[field.kind];
  const flag = value === null ? field.flag : `${field.flag} ${value}`;
  const give = field.fileFlag === null ? flag : `${flag} or ${field.fileFlag} FILE`;
  return { field: field.path.join('.'), give, description: field.description };
}
