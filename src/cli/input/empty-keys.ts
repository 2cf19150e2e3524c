import type * as z from 'zod/mini';
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
  schema: z.ZodMiniType | null,
  name: string | null,
): void {
  const [path] = emptyKeys.filter((key) => schema === null || !isSingleValue(schemaAt(schema, key)));
  if (path === undefined) return;
  const problem = `${dottedPath(path)} is empty in line ${lineOf(path)}: remove it, or write null to reset it`;
  throw invalidInput(name === null ? problem : `${name}: ${problem}`, [{ again: true }]);
}

/** Whether the contract knows the field, and that it is neither a section nor a map or list. */
function isSingleValue(schema: z.ZodMiniType | undefined): boolean {
  return schema !== undefined && !['object', 'record', 'array'].includes(schema.def.type);
}

/** The schema of the field at a path, or undefined if the contract does not name it. */
function schemaAt(schema: z.ZodMiniType, [name, ...rest]: readonly string[]): z.ZodMiniType | undefined {
  const inner = unwrap(schema);
  if (name === undefined) return inner;
  const { shape, valueType, element } = inner.def as {
    readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
    readonly valueType?: z.ZodMiniType;
    readonly element?: z.ZodMiniType;
  };
  const next =
    shape === undefined ? (valueType ?? element) : Object.hasOwn(shape, name) ? shape[name] : undefined;
  return next && schemaAt(next, rest);
}

function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodMiniType };
  return innerType === undefined ? schema : unwrap(innerType);
}
