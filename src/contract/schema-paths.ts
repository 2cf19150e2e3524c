import type * as z from 'zod/mini';

/** The schema of a body or of a part of it. */
export type BodySchema = z.ZodMiniType;

/** What a schema allows: the fields of an object, any name of a map, the items of a list, or one value. */
export interface Shape {
  readonly kind: 'object' | 'map' | 'list' | 'value';
  /** The fields of an object; of a map any name is right. */
  readonly names: readonly string[];
  /** The schema of a field, or undefined if the contract does not name it. */
  field(name: string): BodySchema | undefined;
}

/** What a schema allows, whether the value may be left out or not. */
export function shapeOf(schema: BodySchema): Shape {
  const { shape, valueType, element, innerType } = schema.def as {
    readonly shape?: Readonly<Record<string, BodySchema>>;
    readonly valueType?: BodySchema;
    readonly element?: BodySchema;
    readonly innerType?: BodySchema;
  };
  if (innerType !== undefined) return shapeOf(innerType);
  if (shape !== undefined) {
    const field = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
    return { kind: 'object', names: Object.keys(shape), field };
  }
  if (valueType !== undefined) return { kind: 'map', names: [], field: () => valueType };
  return { kind: element === undefined ? 'value' : 'list', names: [], field: () => element };
}

/** The schema of a value that is there: without what says that it may be left out or null. */
export function valueSchema(schema: BodySchema): BodySchema {
  const { innerType } = schema.def as { readonly innerType?: BodySchema };
  return innerType === undefined ? schema : valueSchema(innerType);
}

/** The schema of the field at a path, or undefined if the contract does not name it. */
export function schemaAt(schema: BodySchema, path: readonly string[]): BodySchema | undefined {
  return path.reduce<BodySchema | undefined>((inner, name) => inner && shapeOf(inner).field(name), schema);
}
