import * as z from 'zod/mini';
import { isAlwaysSent, isClosed, knownValues } from '../fields.ts';
import type { ServedOperation } from '../operation.ts';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** The schemas with which this repository's service checks the bodies of requests, by the id of the operation. */
export type BodySchemas = Readonly<Record<string, z.core.$ZodType | null>>;

export function schemaUri(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The body of a request. What several schemas have in common is added to `shared`. */
export function bodySchema({ id, body }: ServedOperation, shared: Json, bodies: BodySchemas): Json | null {
  if (body === null) return null;
  const { $schema: _, ...contract } = z.toJSONSchema(body, { ...options, io: 'input' });
  const checked = bodies[id];
  if (!checked) return contract;
  const json = JSON.stringify(z.toJSONSchema(checked, { io: 'input' })).replaceAll('#/$defs/', schemaUri(''));
  const { $schema: __, $defs, ...schema } = JSON.parse(json);
  Object.assign(shared, $defs);
  describeFields(schema, contract);
  return schema;
}

/** The schemas of parameters in a query, by their names. */
export function parameterSchemas(query: z.ZodMiniObject): Record<string, Json> {
  const { properties } = z.toJSONSchema(query, { ...options, io: 'input' });
  return properties as Record<string, Json>;
}

/** Copies what the contract says of fields. A field that the service always refuses is left out. */
function describeFields(target: Json, source: Json): void {
  const fields = (target.properties ?? {}) as Record<string, Json>;
  for (const [name, field] of Object.entries(fields)) {
    if (field.not !== undefined) delete fields[name];
    const { properties = {} } = source as { properties?: Record<string, Json> };
    if (properties[name] === undefined) continue;
    const described = withoutNull(properties[name]);
    const { description } = described;
    if (description !== undefined) field.description ??= description;
    describeFields(withoutNull(field), described);
  }
}

function withoutNull(schema: Json): Json {
  const [first, second] = (schema.anyOf ?? []) as Json[];
  return first !== undefined && second?.type === 'null' ? first : schema;
}

const options = {
  /** Adds the values that this repository's service knows. */
  override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }) {
    const values = zodSchema._zod.def.type === 'array' ? undefined : knownValues(zodSchema);
    if (values !== undefined) jsonSchema[isClosed(zodSchema) ? 'enum' : 'examples'] = values;
    // What JSON Schema says by itself: other fields are allowed, and whole numbers are safe ones.
    if (Object.keys(jsonSchema.properties ?? {}).length > 0) delete jsonSchema.additionalProperties;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
};

/** The schemas of responses, which have names: what this repository's service sends. */
export function responseSchemas(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: schemaUri,
    override(context) {
      options.override(context);
      requireSentFields(context.zodSchema, context.jsonSchema);
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: _id, ...schema }]) => [name, schema]),
  );
}

/** Clients of any service accept null and missing fields. This service sends all but those that have no value. */
function requireSentFields(schema: z.core.$ZodType, json: Json): void {
  const { shape } = schema._zod.def as { readonly shape?: Readonly<Record<string, z.core.$ZodType>> };
  const properties = json.properties as Record<string, Json> | undefined;
  if (shape === undefined || properties === undefined) return;
  const required = new Set(json.required as string[] | undefined);
  for (const [name, field] of Object.entries(shape)) {
    const { innerType: nullable } = field._zod.def as Wrapper;
    const { type, innerType: sent } = (nullable?._zod.def ?? {}) as Wrapper;
    if (type !== 'nullable' || sent === undefined) continue;
    properties[name] = withoutNull(properties[name] ?? {});
    if (isAlwaysSent(sent)) required.add(name);
  }
  if (required.size > 0) json.required = [...required];
}

/** The definition of a schema that may wrap another. */
interface Wrapper {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
}
