import { type Operation, pathParameters } from '../../../contract/operation.ts';
import { knownWords, parameterKinds } from '../../completion/known-values.ts';
import type { ArgumentSpec, CompletionKind, OptionSpec } from '../../core/option-spec.ts';
import { type FieldFlag, flagValues } from '../../input/field-flags.ts';
import { outputFileOption } from '../../output/output-file.ts';

const group = 'Safety:';

const confirmOption: OptionSpec = {
  flag: '--confirm',
  value: 'ID',
  description: 'Go ahead without asking: the same id again',
  group,
};

const keyOptions: readonly OptionSpec[] = [
  {
    flag: '--idempotency-from',
    value: 'ci',
    complete: ['ci'],
    description:
      'Make the idempotency key from the run of the CI job, so that running it again adds nothing (STORECTL_CI_JOB tells several in one job apart)',
    group,
  },
  { flag: '--new', description: 'Do not go on with an open attempt of the same command', group },
];

const rateLimitOption: OptionSpec = {
  flag: '--retry-rate-limited',
  description: 'When the service says "too many requests", wait and send again',
  group,
};

/** The options that a command has for its class of operation, besides those of its fields. */
export function classOptions(operation: Operation, confirm: string | undefined): OptionSpec[] {
  return [
    ...(confirm === undefined ? [] : [{ ...confirmOption, ...parameterCompletion(confirm) }]),
    ...(operation.class === 'keyed' ? keyOptions : []),
    ...(operation.class === 'one-shot' ? [rateLimitOption] : []),
    outputFileOption,
  ];
}

/** The path parameters, but for the store's, as arguments. */
export function parameterArguments(operation: Operation): ArgumentSpec[] {
  return pathParameters(operation)
    .filter((name) => name !== 'storeId')
    .map((name) => ({ name, description: 'Id as the service shows it', ...parameterCompletion(name) }));
}

function parameterCompletion(name: string): { readonly complete?: CompletionKind } {
  const complete = parameterKinds[name];
  return complete === undefined ? {} : { complete };
}

/** A field's options for the parser and the help. */
export function fieldOptions(field: FieldFlag, operationId?: string): OptionSpec[] {
  const { flag, kind, fileFlag } = field;
  const group = 'Fields:';
  const { description } = field;
  if (kind === 'boolean') return [{ flag, negatable: true, description, group }];
  const words = operationId === undefined ? undefined : knownWords[operationId]?.[field.path.join('.')];
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
            description: 'The same from a file; - reads standard input',
            group,
          },
        ]),
  ];
}
