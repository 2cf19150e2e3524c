import fc from 'fast-check';

/** A JSON schema as openapi.json uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  /** Where no keyword says which values there are, such as time zones. */
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
}

/**
 * Values by a JSON schema, mostly valid: the caller leaves out those that a validator refuses. `resolve` finds what a
 * `$ref` names. Texts are as long as they may be, now and then.
 */
export function valuesOf(schema: Schema, resolve: (ref: string) => Schema, depth = 0): fc.Arbitrary<unknown> {
  const inner = (part: Schema) => valuesOf(part, resolve, depth + 1);
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.examples !== undefined) return fc.constantFrom(...schema.examples);
  if (schema.anyOf !== undefined) {
    // What refers to itself has to end.
    const parts = depth > 8 ? schema.anyOf.slice(0, 2) : schema.anyOf;
    return fc.oneof(...parts.map(inner));
  }
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((number) => within(number, schema));
    case 'number':
      return fc.double({ noNaN: true, min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9 });
    case 'string':
      return texts(schema);
    case 'array':
      return arrays(schema, inner(schema.items ?? {}));
    case 'object':
      return objects(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function within(number: number, { minimum = -(2 ** 53) + 1, maximum = 2 ** 53 - 1 }: Schema): number {
  const size = maximum - minimum + 1;
  // The ends come up more often than by chance.
  if (number % 7 === 0) return number % 2 === 0 ? minimum : maximum;
  return minimum + (Math.abs(number) % Math.min(size, 2 ** 53 - 1));
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const { format, maxLength = 300 } = schema;
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({ pattern = [] }) => pattern);
  const isMatch = (text: string) => patterns.every((pattern) => new RegExp(pattern, 'u').test(text));
  if (format === 'email') return fc.emailAddress().filter(isMatch);
  if (format === 'date-time') {
    return fc
      .tuple(
        fc.date({ min: new Date('1001-01-01'), max: new Date('8998-01-01'), noInvalidDate: true }),
        offsets,
      )
      .map(([date, offset]) => date.toISOString().replace('Z', offset));
  }
  const unicode = (max: number) =>
    fc.string({ unit: 'binary', minLength: schema.minLength ?? 0, maxLength: max });
  const free = fc.oneof(
    { weight: 5, arbitrary: unicode(Math.min(maxLength, 300)) },
    { weight: 1, arbitrary: fc.constantFrom('ab', '𝄞', 'é ').map((text) => longest(text, maxLength)) },
  );
  const byPattern = patterns.flatMap((pattern) => {
    try {
      return [fc.stringMatching(new RegExp(pattern, 'u'))];
    } catch {
      // A look-ahead, for example.
      return [];
    }
  });
  return fc.oneof(free, ...byPattern).filter((text) => isMatch(text) && [...text].length <= maxLength);
}

const offsets = fc.oneof(
  fc.constant('Z'),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([sign, hours, minutes]) => `${sign}${twoDigits(hours)}:${twoDigits(minutes)}`),
);

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** `text` again and again, `length` code points long. */
function longest(text: string, length: number): string {
  const points = [...text];
  return Array.from({ length }, (_, index) => points[index % points.length]).join('');
}

function arrays(schema: Schema, item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  const lengths = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 5, 20) };
  return schema.uniqueItems === true
    ? fc.uniqueArray(item, { ...lengths, selector: (value) => JSON.stringify(value) })
    : fc.array(item, lengths);
}

function objects(schema: Schema, inner: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const { properties, additionalProperties, propertyNames = {}, required = [] } = schema;
  if (properties === undefined) {
    const values = typeof additionalProperties === 'object' ? inner(additionalProperties) : fc.jsonValue();
    return fc.dictionary(texts({ maxLength: 64, ...propertyNames }), values, {
      maxKeys: 4,
      noNullPrototype: true,
    });
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, inner(field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
}
