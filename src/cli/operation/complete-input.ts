import { describeParameter } from '../../contract/operation.ts';
import { kindOfParameter } from '../../history/objects/known-objects.ts';
import {
  inputNeeded,
  type MissingInput,
  missingKey,
  missingPlace,
  promptHint,
} from '../command/input-needed.ts';
import { completeKnownId } from '../command/known.ts';
import type { Session } from '../command/session.ts';
import { nameOfStore } from '../config/connection-settings.ts';
import { getPath } from '../core/field-path.ts';
import { argumentValue } from '../core/parsed-command.ts';
import { type FieldFlag, flagValues } from '../input/field-flags.ts';
import { checkParameter, idParameter } from '../input/path-parameter.ts';
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
  if (settings.storeId) checkParameter(nameOfStore(settings.storeId.source), settings.storeId.value);
  const name = idParameter(operation);
  const id = name === undefined ? undefined : await readId(session, name, argumentValue(parsed, name));
  const parameters = name === undefined || id === undefined ? {} : { [name]: id };
  checkBody(operation, fieldsToNameByFlag(fields, parsed), body, input.lineOf);

  // The client generates an idempotency key.
  const absent = fields.filter(
    (field) =>
      field.required && field.path.join('.') !== 'idempotencyKey' && getPath(body, field.path) === undefined,
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
  const isAsked = missing.length > 0 || questions !== null || command.isReviewed === true;
  if (isAsked && (!ui.canAsk || connection.length > 0)) {
    // A key alone that is missing is said below.
    throw inputNeeded(
      [...missing.slice(0, connection.length), ...missingKey(settings), ...missing.slice(connection.length)],
      promptHint,
    );
  }
  // Fails on a missing key before asking anything.
  const target = await session.connect();
  const run: Run = { ...input, target, request: { operation, parameters, body }, questions: null };
  if (!isAsked) return run;
  const { askMissing } = await import('./questions/ask-missing.ts');
  return {
    ...run,
    questions: await askMissing(run, parameters, command, { first: questions, fields: absent }),
  };
}

/** The whole id that an argument stands for. */
async function readId(
  session: Session,
  name: string,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  checkParameter(`<${name}>`, given);
  const kind = kindOfParameter(name);
  return kind === undefined ? given : completeKnownId(session, kind, given);
}

function describeMissing(field: FieldFlag): MissingInput {
  const value = flagValues[field.kind];
  const flag = value === null ? field.flag : `${field.flag} ${value}`;
  const give = field.fileFlag === null ? flag : `${flag} or ${field.fileFlag} FILE`;
  return { field: field.path.join('.'), give, description: field.description };
}
