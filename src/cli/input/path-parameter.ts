import { pathParameterProblem } from '../../contract/operation.ts';
import { invalidInput } from '../core/errors.ts';

/** `Id of the reclaim notice` for `reclaimId`. */
export function describeParameter(name: string): string {
  const words = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `Id of the ${words === 'reclaim' ? 'reclaim notice' : words}`;
}

/** Returns the value. Throws a usage error if it cannot be part of a path. `flag` names where it was given. */
export function checkParameter(flag: string, value: string): string {
  const problem = pathParameterProblem(value);
  if (problem === null) return value;
  throw invalidInput(`${flag} ${problem}`, 'copy the whole id, for example 019a6f3e-…', [
    { field: flag.replace(/[<>]|^--/g, ''), flag, detail: problem },
  ]);
}
