import { type Operation, pathParameters } from '../../contract/operation.ts';
import {
  howToBePrompted,
  inputNeeded,
  type MissingInput,
  missingConnection,
} from '../command/input-needed.ts';
import { completeKnownId } from '../command/known.ts';
import type { Session } from '../command/session.ts';
import { parameterKinds } from '../command/short-id.ts';
import type { Ui } from '../command/ui.ts';
import { getPath } from '../core/field-path.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import { type FieldFlag, flagValues } from '../input/field-flags.ts';
import { checkParameter, describeParameter } from '../input/path-parameter.ts';
import { checkBody, fieldsToNameByFlag } from '../input/request-body.ts';
import type { Questions } from '../prompts/questions.ts';
import type { Candidates } from './call/operation-command.ts';
import type { Interview } from './call/run.ts';
import { refuseOtherConfirmation } from './send/confirm.ts';

/** Completed input. The answers of the user are in the body, too. */
interface CompletedInput {
  /** Path parameters other than the store id, which is the connection's. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Lets the user change their answers; null if nothing was asked. */
  readonly interview: Interview | null;
}

/** What an operation needs. */
export interface InputRules {
  readonly operation: Operation;
  readonly fields: readonly FieldFlag[];
  /** Path parameter that the user must confirm, if any. */
  readonly confirm: string | undefined;
  /** Questions of the command itself, asked first; null for none. */
  readonly questions: Questions | null;
  /** Which of the known ids the user may choose from; undefined for all. */
  readonly candidates: Candidates | undefined;
  /** Called with the path parameters before other questions. */
  introduce(parameters: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * Completes and checks the input of an operation. A terminal is asked for missing values; elsewhere one error (exit 3)
 * names them all. Invalid values are exit 2, each with its field and flag.
 */
export async function completeInput(
  ui: Ui,
  session: Session,
  { operation, fields, confirm, questions, candidates, introduce }: InputRules,
  parsed: ParsedCommand,
  body: Record<string, unknown> | null,
): Promise<CompletedInput> {
  const settings = await session.settings();
  if (settings.storeId) checkParameter('--store', settings.storeId.value);
  const names = pathParameters(operation).filter((name) => name !== 'storeId');
  const parameters: Record<string, string> = {};
  for (const name of names) {
    const value = argumentValue(parsed, name);
    if (value === undefined) continue;
    checkParameter(`<${name}>`, value);
    const kind = parameterKinds[name];
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
    ...(ui.canAsk ? [] : await missingConfirmation(session, parsed, confirm, parameters)),
  ];
  if (missing.length === 0 && questions === null) return { parameters, interview: null };
  if (!ui.canAsk || connection.length > 0) throw inputNeeded(missing, howToBePrompted(session));
  // Fail on a missing key before asking anything.
  await session.connect();

  const { interview } = await import('./questions/ask-missing.ts');
  const first = questions ?? (() => []);
  const asked = { operation, first, ids: names, fields: absent, candidates, introduce };
  return { parameters, interview: await interview(ui, session, asked, parameters, body ?? {}) };
}

/** Without a terminal, irreversible operations need `--confirm`. */
async function missingConfirmation(
  session: Session,
  parsed: ParsedCommand,
  parameter: string | undefined,
  parameters: Readonly<Record<string, string>>,
): Promise<MissingInput[]> {
  if (parameter === undefined || session.flags.dryRun) return [];
  const given = optionValue(parsed, '--confirm');
  const wanted = parameters[parameter];
  if (given === undefined) {
    return [
      {
        field: 'confirm',
        give: `--confirm ${wanted ?? `<${parameter}>`}`,
        description: 'repeat the id to confirm',
      },
    ];
  }
  if (wanted !== undefined) await refuseOtherConfirmation(session, parameter, given, wanted);
  return [];
}

function describeMissing(field: FieldFlag): MissingInput {
  const value = flagValues[field.kind];
  const flag = value === null ? field.flag : `${field.flag} ${value}`;
  const give = field.fileFlag === null ? flag : `${flag} or ${field.fileFlag} FILE`;
  return { field: field.path.join('.'), give, description: field.description };
}
