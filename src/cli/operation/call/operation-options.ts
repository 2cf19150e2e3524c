import { valueAt } from '../../../base/json.ts';
import { knownValues } from '../../../contract/fields.ts';
import { kindOfParameter } from '../../../contract/objects.ts';
import { describeParameter, type Operation } from '../../../contract/operation.ts';
import type { CommandDefinition } from '../../command/command-definition.ts';
import { fieldNames } from '../../command/response-fields.ts';
import {
  type ArgumentSpec,
  advancedGroup,
  type CommandTool,
  type OptionSpec,
} from '../../core/option-spec.ts';
import { deriveFlags, type FieldFlag, flagValues } from '../../input/field-flags.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { bodyOptions } from '../../input/request-body.ts';
import { outputFileOption } from '../../output/output-file.ts';
import { confirmOption } from '../../prompts/ask-or-fail.ts';
import type { OperationInput } from './operation-input.ts';

const keyOption: OptionSpec = {
  flag: '--idempotency-from',
  value: 'ci',
  complete: ['ci'],
  description:
    'Derive the idempotency key from the CI run, so that a re-run is applied only once (if a job runs several commands, set STORECTL_CI_JOB to another value for each)',
  group: advancedGroup,
};

/** The arguments, flags and response fields of a command that sends an operation, and its description for `storectl mcp`. */
export function describeOperation(
  input: OperationInput,
): Pick<CommandDefinition, 'responseFields' | 'arguments' | 'dryRun' | 'options' | 'tool' | 'withoutEffect'> {
  const { operation, confirm } = input;
  const taken = describeInput(input);
  return {
    ...taken,
    options: advancedLast([...taken.options, ...classOptions(operation, confirm)]),
    responseFields: () => responseFields(input),
    dryRun: true,
    withoutEffect: operation.class === 'read' ? undefined : 'nothing was sent',
    tool: toolOf(input),
  };
}

/** The arguments and flags of a command that reads the input of an operation. */
export function describeInput(input: OperationInput) {
  const { operation, defaults, options = [] } = input;
  return {
    arguments: input.arguments ?? parameterArguments(operation),
    options: [
      ...fieldsOf(input).flatMap((field) => fieldOptions(withDefault(field, defaults))),
      ...(operation.body === null ? [] : bodyOptions),
      ...options,
    ],
  };
}

/** The flags of the fields in the body of the operation. */
export function fieldsOf({ operation, hints }: OperationInput): FieldFlag[] {
  return operation.body === null ? [] : deriveFlags(operation.body, hints);
}

/** The known fields of the printed response. Empty if the contract does not name any. */
export function responseFields({ operation, extraResponseFields = [] }: OperationInput): readonly string[] {
  return [...fieldNames(operation.response), ...extraResponseFields];
}

/** The command as a tool of the MCP server. `note` follows the summary of the operation in the description. */
export function toolOf({ operation, confirm, defaults = {} }: OperationInput, note = ''): CommandTool {
  return {
    description: [`${operation.summary}.`, note].filter(Boolean).join(' '),
    sends: operation,
    inputs: Object.fromEntries(
      parameterArguments(operation).map(({ name, description }) => [name, description]),
    ),
    optional: [...Object.keys(defaults), ...(operation.class === 'keyed' ? ['idempotencyKey'] : [])],
    confirm,
  };
}

function advancedLast(options: readonly OptionSpec[]): OptionSpec[] {
  const isAdvanced = ({ group }: OptionSpec) => Number(group === advancedGroup);
  return options.toSorted((one, other) => isAdvanced(one) - isAdvanced(other));
}

/** The field with its default value in the description. */
function withDefault(field: FieldFlag, defaults: OperationInput['defaults'] = {}): FieldFlag {
  const value = valueAt(defaults, field.path);
  return value === undefined ? field : { ...field, description: `${field.description} (default ${value})` };
}

/** The options that depend on the class of the operation. */
function classOptions(operation: Operation, confirm: string | undefined): OptionSpec[] {
  return [
    ...(confirm === undefined ? [] : [{ ...confirmOption('ID', 'id'), complete: kindOfParameter(confirm) }]),
    ...(operation.class === 'keyed' ? [keyOption] : []),
    outputFileOption,
  ];
}

/** The id in the path as an argument. */
function parameterArguments(operation: Operation): ArgumentSpec[] {
  const name = idParameter(operation);
  if (name === undefined) return [];
  return [{ name, description: describeParameter(name), complete: kindOfParameter(name) }];
}

/** A field's options for the parser and the help. */
function fieldOptions(field: FieldFlag): OptionSpec[] {
  const { flag, kind, description, fileFlag, schema, path } = field;
  const group = path.join('.') === 'idempotencyKey' ? advancedGroup : 'Fields:';
  if (kind === 'boolean') return [{ flag, negatable: true, description, group }];
  const complete = knownValues(schema);
  const option = { flag, value: flagValues[kind], description, group, list: kind === 'list', complete };
  if (fileFlag === null) return [option];
  const fromFile = `Read ${flag} from a file; - for standard input`;
  return [option, { flag: fileFlag, value: 'FILE', description: fromFile, group }];
}
