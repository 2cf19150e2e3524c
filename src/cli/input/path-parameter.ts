import { type Operation, pathParameterProblem, pathParameters } from '../../contract/operation.ts';
import { invalidFields } from '../core/errors.ts';

/** The id in the path of an operation, which has at most one besides the store's. */
export function idParameter(operation: Pick<Operation, 'path'>): string | undefined {
  return pathParameters(operation).find((name) => name !== 'storeId');
}

/** Returns the value. Throws a usage error if it cannot be part of a path. `flag` names where it was given. */
export function checkParameter(flag: string, value: string): string {
  const problem = pathParameterProblem(value);
  if (problem === null) return value;
  const field = flag.replace(/[<>]|^--/g, '');
  throw invalidFields([{ field, flag, detail: problem }], 'copy the whole id, for example 019a6f3e-…');
}
