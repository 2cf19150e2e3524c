import { describeParameter } from '../../contract/operation.ts';
import { kindOfParameter } from '../../history/objects/known-objects.ts';
import { inputNeeded, type MissingInput, missingConnection, orBePrompted } from '../command/input-needed.ts';
import { completeKnownId } from '../command/known.ts';
import { getPath } from '../core/field-path.ts';
import { argumentValue } from '../core/parsed-command.ts';
import { type FieldFlag, flagValues } from '../input/field-flags.ts';
import { checkParameter, idParameters } from '../input/path-parameter.ts';
import { checkBody, fieldsToNameByFlag } from '../input/request-body.ts';
import { missingConfirmation } from '../prompts/ask-or-fail.ts';
import type { Questions } from '../prompts/questions.ts';
import type { InputCommand, PreparedInput } from './call/operation-command.ts';
import type { Run } from './call/run.ts';

/**
 * Completes and checks the input of an operation. A terminal is asked for missing values, after the `questions` about what
 * changes; elsewhere one error (exit 3) names them all. Invalid values are exit 2, each with its field and flag.
 */
export async function completeInput(
  input: PreparedInput,
  command: InputCommand,
  body: Record<string, unknown> | null,
  questions: Questions | null,
): Promise<Run> {
  const { ui, session, parsed, fields } = input;
  const { operation, confirm } = command;
  const settings = await session.settings();
  if (settings.storeId) checkParameter('--store', settings.storeId.value);
  const names = idParameters(operation);
  const parameters: Record<string, string> = {};
  for (const name of names) {
    const value = argumentValue(parsed, name);
    if (value === undefined) continue;
    checkParameter(`<${name}>`, value);
    const kind = kindOfParameter(name);
    parameters[name] = kind === undefined ? value : await completeKnownId(session, kind, value);
  }
  checkBody(operation, fieldsToNameByFlag(fields, parsed), body);

  // The client generates an idempotency key.
  const absent = fields.filter(
    (field) =>
      field.required && field.path.join('.') !== 'idempotencyKey' && getPath(body, field.path) === undefined,
  );
  const connection = missingConnection(settings);
  const missing: MissingInput[] = [
    ...connection,
    ...names
      .filter((name) => parameters[name] === undefined)
      .map((name) => ({ field: name, give: `<${name}>`, description: describeParameter(name) })),
    ...absent.map(describeMissing),
    ...(ui.canAsk || session.flags.dryRun || confirm === undefined || parsed.options.has('--confirm')
      ? []
      : [missingConfirmation(parameters[confirm] ?? `<${confirm}>`)]),
  ];
  const isAsked = missing.length > 0 || questions !== null || command.isReviewed === true;
  if (isAsked && (!ui.canAsk || connection.length > 0)) throw inputNeeded(missing, orBePrompted);
  // Fails on a missing key before asking anything.
  const target = await session.connect();
  const run: Run = { ...input, target, request: { operation, parameters, body }, interview: null };
  if (!isAsked) return run;
  const { interview } = await import('./questions/ask-missing.ts');
  return {
    ...run,
    interview: await interview(run, parameters, command, { first: questions, fields: absent }),
  };
}

function describeMissing(field: FieldFlag): MissingInput {
  const value = flagValues[field.kind];
  const flag = value === null ? field.flag : `${field.flag} ${value}`;
  const give = field.fileFlag === null ? flag : `${flag} or ${field.fileFlag} FILE`;
  return { field: field.path.join('.'), give, description: field.description };
}
