import { type Operation, pathParameters } from '../contract/operation.ts';
import type { History } from '../history/journal.ts';
import type { ArgumentSpec, CommandDefinition, OptionSpec, ParsedCommand } from './command.ts';
import type { Connection, Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { deriveFlags, type FieldFlag, type FlagHints } from './flags.ts';
import { bodyOptions, completeInput, type OperationInput, readBody } from './input.ts';
import { type Performed, perform } from './perform.ts';
import { printDryRun, printResult } from './result.ts';

/** A call of an operation, complete and checked, on its way. */
export interface Run {
  readonly context: Context;
  readonly connection: Connection;
  readonly operation: Operation;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown> | null;
  /** ETag that the service must still have, where one is known. */
  readonly ifMatch?: string;
  /** The document that is about to be replaced, kept in the history so that it can be put back. */
  readonly former?: string;
  /** Looks at the history, while no other process begins the same operation, before anything is sent. */
  check?(history: History): Promise<void>;
}

/** What is particular to the command of one operation. */
export interface OperationCommand {
  readonly operation: Operation;
  readonly description: string;
  readonly examples: readonly string[];
  readonly hints?: FlagHints;
  /** Values of fields that are sent where nothing else is given. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Changes or refuses the body before it is completed and checked. */
  prepare?(body: Record<string, unknown>, parsed: ParsedCommand): void;
  /** Looks before something that cannot be taken back. Returns the run to go on with, or what is known already. */
  guard?(run: Run): Promise<Run | Performed>;
  /** The answer for people; without it, a record of its fields. */
  show?(answer: unknown, run: Run): string;
  /** The id that `--quiet` prints; without it, the `id` of the answer. */
  id?(answer: unknown): unknown;
  /** What to say on stderr when it is done. */
  after?(answer: unknown, run: Run): void;
}

/** The command of an operation: input, guard, request, result. Its flags come from the contract. */
export function operationCommand(command: OperationCommand): CommandDefinition {
  const { operation } = command;
  const fields = operation.body === null ? [] : deriveFlags(operation.body, command.hints);
  return {
    description: command.description,
    examples: command.examples,
    arguments: command.arguments ?? parameterArguments(operation),
    options: [
      ...fields.flatMap(fieldOptions),
      ...(command.options ?? []),
      ...(operation.body === null ? [] : bodyOptions),
    ],
    run: (context, parsed) => runOperation(context, command, fields, parsed),
  };
}

async function runOperation(
  context: Context,
  command: OperationCommand,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<ExitCode | undefined> {
  const { operation } = command;
  const body = operation.body === null ? null : await readBody(context.io, fields, parsed);
  if (body !== null) {
    for (const [name, value] of Object.entries(command.defaults ?? {})) body[name] ??= value;
    command.prepare?.(body, parsed);
  }
  const input: OperationInput = await completeInput(context, operation, fields, parsed, body);
  const connection = await context.connect();
  const run: Run = { context, connection, operation, fields, parsed, ...input };
  if (context.flags.dryRun) {
    printDryRun(run);
    return undefined;
  }
  if (operation.class !== 'read') announce(run);
  const guarded = (await command.guard?.(run)) ?? run;
  const performed = 'answer' in guarded ? guarded : await perform(guarded);
  printResult(run, command, performed);
  return undefined;
}

/** Says where a change goes before it goes there. */
function announce({ context, connection }: Run): void {
  const { dim } = context.err.color;
  context.notice(dim(`${connection.profile} → store ${connection.storeId} @ ${connection.host}`));
}

function parameterArguments(operation: Operation): ArgumentSpec[] {
  return pathParameters(operation)
    .filter((name) => name !== 'storeId')
    .map((name) => ({ name, description: 'Id as the service shows it' }));
}

/** A field's options for the parser and the help. */
export function fieldOptions(field: FieldFlag): OptionSpec[] {
  const { flag, kind, fileFlag } = field;
  const group = 'Fields:';
  const description = field.required ? field.description : `${field.description}`;
  if (kind === 'boolean') return [{ flag, negatable: true, description, group }];
  const values = { text: 'TEXT', number: 'N', list: 'A,B', map: 'NAME=VALUE' } as const;
  return [
    { flag, value: values[kind], description, group },
    ...(fileFlag === null
      ? []
      : [
          {
            flag: fileFlag,
            value: 'FILE',
            description: 'The same from a file; - reads standard input',
            group,
          },
        ]),
  ];
}
