import { type BodySchema, schemaAt, shapeOf } from '../../contract/schema-paths.ts';
import type { InputDocument } from '../core/document/document.ts';
import { invalidInput } from '../core/errors.ts';
import { dottedPath } from '../core/field-path.ts';

/**
 * Throws exit 2 for a key of YAML with nothing behind it, unless one value belongs there: the lines of a section were
 * removed, or made comments, and nobody means to reset it by that. `null` and `~` say so. `name` is null for a text that
 * the user has just edited.
 */
export function refuseEmptyKeys(
  { emptyKeys, lineOf }: Pick<InputDocument, 'emptyKeys' | 'lineOf'>,
  schema: BodySchema | null,
  name: string | null,
): void {
  const [path] = emptyKeys.filter((key) => schema === null || !isSingleValue(schemaAt(schema, key)));
  if (path === undefined) return;
  const problem = `${dottedPath(path)} is empty in line ${lineOf(path)}: remove it, or write null to reset it`;
  throw invalidInput(name === null ? problem : `${name}: ${problem}`, [{ again: true }]);
}

/** Whether the contract knows the field, and that it is neither a section nor a map or list. */
function isSingleValue(schema: BodySchema | undefined): boolean {
  return schema !== undefined && shapeOf(schema).kind === 'value';
}
