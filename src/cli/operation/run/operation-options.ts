import { knownValues } from '../../../contract/fields.ts';
import { type Operation, pathParameters } from '../../../contract/operation.ts';
import { parameterKinds } from '../../completion/known-values.ts';
import type { ArgumentSpec, CompletionKind, OptionSpec } from '../../core/option-spec.ts';
import { type FieldFlag, flagValues } from '../../input/field-flags.ts';
import { describeParameter } from '../../input/path-parameter.ts';
import { outputFileOption } from '../../output/output-file.ts';

const group = 'Safety:';

const confirmOption: OptionSpec = {
  flag: '--confirm',
  value: 'ID',
  description: 'Confirm without a prompt: repeat the id',
  group,
};

const keyOptions: readonly OptionSpec[] = [
  {
    flag: '--idempotency-from',
    value: 'ci',
    complete: ['ci'],
    description:
      'Derive the idempotency key from the CI run, so that a re-run adds nothing (set STORECTL_CI_JOB if a job runs several commands)',
    group,
  },
  { flag: '--new', description: 'Start a new attempt instead of continuing an open one', group },
];

/** The options that depend on the class of the operation. */
export function classOptions(operation: Operation, confirm: string | undefined): OptionSpec[] {
  return [
    ...(confirm === undefined ? [] : [{ ...confirmOption, ...parameterCompletion(confirm) }]),
    ...(operation.class === 'keyed' ? keyOptions : []),
    outputFileOption,
  ];
}

/** The path parameters as arguments, without the store id. */
export function parameterArguments(operation: Operation): ArgumentSpec[] {
  return pathParameters(operation)
    .filter((name) => name !== 'storeId')
    .map((name) => ({ name, description: describeParameter(name), ...parameterCompletion(name) }));
}

function parameterCompletion(name: string): { readonly complete?: CompletionKind } {
  const complete = parameterKinds[name];
  return complete === undefined ? {} : { complete };
}

/** A field's options for the parser and the help. */
export function fieldOptions(field: FieldFlag): OptionSpec[] {
  const { flag, kind, fileFlag } = field;
  const group = 'Fields:';
  const { description } = field;
  if (kind === 'boolean') return [{ flag, negatable: true, description, group }];
  const words = knownValues(field.schema);
  return [
    {
      ...{ flag, value: flagValues[kind], description, group, list: kind === 'list' },
      ...(words !== undefined && { complete: words }),
    },
    ...(fileFlag === null
      ? []
      : [
          {
            flag: fileFlag,
            value: 'FILE',
            description: `Read ${flag} from a file; - for standard input`,
            group,
          },
        ]),
  ];
}
