import { nearName } from '../../base/nearest-name.ts';
import type { Schema, Tool } from './tools.ts';

/** What is wrong with inputs, as the errors of commands say it. Values of the request's fields are checked by the command. */
export function inputProblems(
  { spec, given, fields, operation }: Tool,
  inputs: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly detail: string }[] {
  const names = [...Object.keys(given), ...Object.keys(fields)];
  // Some commands take all there is without an id.
  const missing = Object.keys(spec.inputs ?? {}).filter((field) => inputs[field] === undefined);
  const wrong = Object.entries(inputs).flatMap(([field, value]) => {
    if (names.includes(field)) {
      const problem = valueProblem(given[field], value);
      return problem === null ? [] : [{ field, detail: problem }];
    }
    const near = nearName(names, field);
    if (near !== null) return [{ field, detail: `unknown input: did you mean ${near}?` }];
    // A service may take fields that the contract does not name.
    return operation?.body ? [] : [{ field, detail: 'unknown input' }];
  });
  return [...wrong, ...missing.map((field) => ({ field, detail: 'is required' }))];
}

function valueProblem({ type, enum: words, minimum }: Schema = {}, value: unknown): string | null {
  if (type === 'integer') {
    const isFine = Number.isInteger(value) && Number(value) >= Number(minimum ?? value);
    return isFine ? null : `must be a whole number, at least ${minimum}`;
  }
  if (type !== undefined && typeof value !== type) return `must be a ${String(type)}`;
  if (!Array.isArray(words) || words.some((word) => word === value)) return null;
  return `must be one of ${words.join(', ')}`;
}
