import { knownValues } from '../../../contract/fields.ts';
import { describeParameter, type Operation } from '../../../contract/operation.ts';
import { kindOfParameter } from '../../../history/objects/known-objects.ts';
import { type ArgumentSpec, advancedGroup, type OptionSpec } from '../../core/option-spec.ts';
import { type FieldFlag, flagValues } from '../../input/field-flags.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { outputFileOption } from '../../output/output-file.ts';
import { confirmOption } from '../../prompts/ask-or-fail.ts';

const keyOption: OptionSpec = {
  flag: '--idempotency-from',
  value: 'ci',
  complete: ['ci'],
  description:
    'Derive the idempotency key from the CI run, so that a re-run is applied only once (if a job runs several commands, set STORECTL_CI_JOB to another value for each)',
  group: advancedGroup,
};

/** The options that depend on the class of the operation. */
export function classOptions(operation: Operation, confirm: string | undefined): OptionSpec[] {
  return [
    ...(confirm === undefined ? [] : [{ ...confirmOption('ID', 'id'), complete: kindOfParameter(confirm) }]),
    ...(operation.class === 'keyed' ? [keyOption] : []),
    outputFileOption,
  ];
}

/** The id in the path as an argument. */
export function parameterArguments(operation: Operation): ArgumentSpec[] {
  const name = idParameter(operation);
  if (name === undefined) return [];
  return [{ name, description: describeParameter(name), complete: kindOfParameter(name) }];
}

/** A field's options for the parser and the help. */
export function fieldOptions(field: FieldFlag): OptionSpec[] {
  const { flag, kind, description, fileFlag, schema, path } = field;
  const group = path.join('.') === 'idempotencyKey' ? advancedGroup : 'Fields:';
  if (kind === 'boolean') return [{ flag, negatable: true, description, group }];
  const complete = knownValues(schema);
  const option = { flag, value: flagValues[kind], description, group, list: kind === 'list', complete };
  if (fileFlag === null) return [option];
  const fromFile = `Read ${flag} from a file; - for standard input`;
  return [option, { flag: fileFlag, value: 'FILE', description: fromFile, group }];
}
