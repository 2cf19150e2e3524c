import { type Operation, pathParameterProblem, pathParameters } from '../../contract/operation.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../command/command-definition.ts';
import { type Context, inputNeeded, type MissingInput, missingConnection } from '../command/context.ts';
import { type CliError, type FieldError, usageError } from '../core/errors.ts';
import { getPath, setPath } from '../core/field-path.ts';
import type { Interview } from '../operation/questions/ask-missing.ts';
import type { Questions } from '../prompts/questions.ts';
import { applyFlag, type FieldFlag, flagValues, parseFlag } from './field-flags.ts';
import { applySet, describeFile, isStandardInput, readObject, readText } from './input-files.ts';
import type { InputSource } from './stdin.ts';

/** What an operation is called with. The store id is the connection's. */
export interface OperationInput {
  /** Path parameters other than the store id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The request body, or null for an operation without one. */
  readonly body: Record<string, unknown> | null;
  /** Asks the user again, where they were asked for some of it. */
  readonly interview: Interview | null;
}

/** What an operation needs. */
export interface InputRules {
  readonly operation: Operation;
  readonly fields: readonly FieldFlag[];
  /** Path parameter that has to be confirmed, where there is one. */
  readonly confirm: string | undefined;
  /** What the command itself has to ask, before what is missing; null where that is nothing. */
  readonly questions: Questions | null;
  /** Called with the path parameters before anything else is asked. */
  introduce?(parameters: Readonly<Record<string, string>>): Promise<void>;
}

/** Options that every operation with a body has. */
export const bodyOptions = [
  {
    flag: '--set',
    value: 'PATH=VALUE',
    description: 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
    group: 'Input:',
  },
  {
    flag: '--from-file',
    value: 'FILE',
    description: 'Send a JSON or YAML object; - reads standard input',
    group: 'Input:',
  },
] as const;

/** The body from file, `--set` and flags, the later over the earlier, before anything is checked. */
export async function readBody(
  source: InputSource,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<Record<string, unknown>> {
  refuseSharedStdin(fields, parsed);
  const file = optionValue(parsed, '--from-file');
  const body = file === undefined ? {} : await readObject(source, file, '--from-file');
  const sets = parsed.options.get('--set');
  if (typeof sets === 'object') for (const text of sets) applySet(body, text, '--set');
  for (const field of fields) {
    const given = parsed.options.get(field.flag);
    const textFile = field.fileFlag === null ? undefined : optionValue(parsed, field.fileFlag);
    if (given !== undefined && textFile !== undefined) {
      throw usageError(`${field.flag} and ${field.fileFlag} exclude each other`, 'leave one of them out');
    }
    if (given !== undefined) applyFlag(body, field, parseFlag(field, given));
    if (textFile !== undefined) setPath(body, field.path, await readTextOf(source, field, textFile));
  }
  return body;
}

/** An empty file for what has to be said is the file of a step that failed, and no text that anybody meant. */
async function readTextOf(source: InputSource, field: FieldFlag, file: string): Promise<string> {
  const flag = field.fileFlag ?? '';
  const text = await readText(source, file, flag);
  if (text.trim() !== '' || !field.required) return text;
  throw usageError(
    `${describeFile(file)} (${flag}) is empty`,
    `nothing was sent; ${field.flag} needs a text`,
    {
      code: 'invalid_input',
      fields: [{ field: field.path.join('.'), flag, detail: 'empty' }],
    },
  );
}

/**
 * Completes and checks the input of an operation. What is missing is asked for in a terminal; elsewhere one exit 3 names
 * everything that is missing at once. What is invalid is exit 2, and names each field with its flag.
 */
export async function completeInput(
  context: Context,
  { operation, fields, confirm, questions, introduce }: InputRules,
  parsed: ParsedCommand,
  body: Record<string, unknown> | null,
): Promise<OperationInput> {
  const settings = await context.settings();
  if (settings.storeId) checkParameter('--store', settings.storeId.value);
  const names = pathParameters(operation).filter((name) => name !== 'storeId');
  const parameters: Record<string, string> = {};
  for (const name of names) {
    const value = argumentValue(parsed, name);
    if (value !== undefined) parameters[name] = checkParameter(`<${name}>`, value);
  }
  checkBody(operation, fields, body);

  const absent = fields.filter(
    (field) => field.required && !isGenerated(field) && getPath(body, field.path) === undefined,
  );
  const connection = missingConnection(settings);
  const missing: MissingInput[] = [
    ...connection,
    ...names
      .filter((name) => parameters[name] === undefined)
      .map((name) => ({ field: name, give: `<${name}>`, description: describeParameter(name) })),
    ...absent.map(describeMissing),
    ...(context.canPrompt ? [] : missingConfirmation(context, parsed, confirm, parameters)),
  ];
  if (missing.length === 0 && questions === null) return { parameters, body, interview: null };
  if (!context.canPrompt || connection.length > 0)
    throw inputNeeded(missing, 'or run the command in a terminal to be asked');
  // Without a key the answers would be in vain.
  await context.connect();

  const completed = body ?? {};
  const { interview } = await import('../operation/questions/ask-missing.ts');
  const ids = names.map((name) => ({ name, description: describeParameter(name) }));
  const asked = {
    ...{ operation, first: questions ?? (() => []), ids, fields: absent },
    ...(introduce && { introduce }),
  };
  return {
    parameters,
    body: body && completed,
    interview: await interview(context, asked, parameters, completed),
  };
}

/** Where nobody can be asked, what cannot be taken back is confirmed on the command line. */
function missingConfirmation(
  { flags }: Context,
  parsed: ParsedCommand,
  parameter: string | undefined,
  parameters: Readonly<Record<string, string>>,
): MissingInput[] {
  if (parameter === undefined || flags.dryRun) return [];
  const given = optionValue(parsed, '--confirm');
  const wanted = parameters[parameter];
  if (given === undefined) {
    return [
      {
        field: 'confirm',
        give: `--confirm ${wanted ?? `<${parameter}>`}`,
        description: 'the id once more, to go ahead',
      },
    ];
  }
  if (wanted !== undefined && given !== wanted) throw wrongConfirmation(given, wanted);
  return [];
}

export function wrongConfirmation(given: string, wanted: string): CliError {
  return usageError(
    `--confirm names ${given || 'nothing'}, and the command ${wanted}`,
    'nothing was sent; check which one is meant',
    {
      code: 'wrong_confirmation',
    },
  );
}

/** The client makes the idempotency key itself where none is given. */
function isGenerated(field: FieldFlag): boolean {
  return field.path.join('.') === 'idempotencyKey';
}

function describeMissing(field: FieldFlag): MissingInput {
  const value = flagValues[field.kind];
  const flag = value === null ? field.flag : `${field.flag} ${value}`;
  const give = field.fileFlag === null ? flag : `${flag} or ${field.fileFlag} FILE`;
  return { field: field.path.join('.'), give, description: field.description };
}

/** `Id of the reclaim notice` for `reclaimId`. */
export function describeParameter(name: string): string {
  const words = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `Id of the ${words === 'reclaim' ? 'reclaim notice' : words}`;
}

function checkParameter(flag: string, value: string): string {
  const problem = pathParameterProblem(value);
  if (problem === null) return value;
  throw usageError(`${flag} ${problem}`, 'give the id as the service shows it', {
    code: 'invalid_input',
    fields: [{ field: flag.replace(/[<>]|^--/g, ''), flag, detail: problem }],
  });
}

/** Throws exit 2 for every known field that has the wrong type. Fields that are missing are not its business. */
export function checkBody(
  operation: Operation,
  fields: readonly FieldFlag[],
  body: Record<string, unknown> | null,
): void {
  if (operation.body === null || body === null) return;
  const result = operation.body.safeParse(body);
  if (result.success) return;
  const wrong = result.error.issues
    .map((issue) => ({ path: issue.path.map(String), message: issue.message }))
    .filter(({ path }) => getPath(body, path) !== undefined)
    .map(({ path, message }): FieldError => {
      return {
        field: path.join('.'),
        flag: flagOf(fields, path.join('.')),
        detail: message.replace(/^Invalid input: /, ''),
      };
    });
  if (wrong.length === 0) return;
  throw usageError(
    [
      'the input is invalid:',
      ...wrong.map(({ field, flag, detail }) => `  ${flag ?? field}: ${detail}`),
    ].join('\n'),
    'correct it and run the command again; nothing was sent',
    { code: 'invalid_input', fields: wrong },
  );
}

/** The flag that sets the field at a dotted path, or a field above it. */
export function flagOf(fields: readonly FieldFlag[], dotted: string): string | null {
  const field = fields.find(({ path }) => {
    const own = path.join('.');
    return dotted === own || dotted.startsWith(`${own}.`);
  });
  return field?.flag ?? null;
}

function refuseSharedStdin(fields: readonly FieldFlag[], parsed: ParsedCommand): void {
  const readers = ['--from-file', ...fields.flatMap(({ fileFlag }) => fileFlag ?? [])].filter((flag) =>
    isStandardInput(optionValue(parsed, flag) ?? ''),
  );
  if (readers.length > 1) {
    throw usageError(
      `only one flag can read standard input, and ${readers.join(' and ')} do`,
      'use a file for the others',
    );
  }
}
