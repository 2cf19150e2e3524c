import * as z from 'zod/mini';
import { isAlwaysSent, isClosed, knownValues } from './fields.ts';
import { type OperationClass, pathParameters, type ServedOperation } from './operation.ts';
import { type OperationId, operations } from './operations.ts';
import { type ErrorCode, problemDetails, problems } from './problem.ts';

/** A JSON object. */
type Json = Record<string, unknown>;

const tags: Readonly<Record<string, string>> = {
  store: 'The store and its settings',
  blog: 'Posts in the blog of the store',
  disputes: 'Disputes, their evidence and their decisions',
  settings: 'Operations settings, such as quiet hours',
  backup: 'Backups of the store',
  reclaim: 'Subdomain reclaim notices',
  notify: 'Notifications and where they are sent',
};

/** Property of a field: its value is unique within the store. */
const uniqueMark = 'x-unique';

const repetition: Readonly<Record<OperationClass, string>> = {
  read: 'Read-only.',
  repeatable: 'Idempotent.',
  keyed:
    'Idempotent per idempotency key: repeating a request returns the first response, with `Idempotency-Replayed: true`.',
  'one-shot':
    'Not idempotent: if the response is lost, check whether the change was applied before retrying.',
};

/** Refusals by their status: of every operation, of those with a body, of writes, and of writes with `If-Match`. */
const refusals: Readonly<Record<number, { readonly name: string; readonly applies: Applies }>> = {
  400: { name: 'BadRequest', applies: ({ body }) => body !== null },
  401: { name: 'Unauthorized', applies: always },
  403: { name: 'Forbidden', applies: always },
  404: { name: 'NotFound', applies: always },
  409: { name: 'Conflict', applies: isWrite },
  412: { name: 'Stale', applies: (operation) => isWrite(operation) && operation.service.versioned === true },
  413: { name: 'TooLarge', applies: ({ body }) => body !== null },
  415: { name: 'UnsupportedMediaType', applies: ({ body }) => body !== null },
  422: { name: 'Invalid', applies: ({ body }) => body !== null },
  429: { name: 'TooManyRequests', applies: always },
  500: { name: 'InternalError', applies: always },
  503: { name: 'Busy', applies: always },
};

type Applies = (operation: ServedOperation) => boolean;

function always(): boolean {
  return true;
}

function isWrite(operation: ServedOperation): boolean {
  return operation.class !== 'read';
}

const parameterTexts: Readonly<Record<string, string>> = {
  storeId: 'ID of the store that the key belongs to',
  disputeId: 'ID of the dispute',
  backupId: 'ID of the backup',
  reclaimId: 'ID of the reclaim notice',
};

const headers = {
  requestId: header('ID of this request in the service log'),
  retryAfter: header('Seconds to wait before the next request'),
  etag: header('Version of the response, for `If-Match`'),
  location: header('Path of the new object'),
  replayed: header(
    '`true` if this is the stored response to an earlier request with the same idempotency key',
  ),
  authenticate: header('How to authenticate'),
};

/** The schemas with which this repository's service checks the bodies of requests, null for operations without one. */
export type BodySchemas = Readonly<Record<OperationId, z.core.$ZodType | null>>;

/**
 * OpenAPI 3.1 description of the 12 operations. With the schemas of this repository's service it is as strict as the
 * service: bodies that fit it are accepted, and responses fit it. Without them it says of bodies and responses what the
 * contract says, which is what a client of any service may rely on.
 */
export function buildOpenApi(version: string, bodies?: BodySchemas): Json {
  const shared: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, bodySchema(operation, shared, bodies)),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Store Management Service',
      version,
      description:
        'Settings, blog, disputes, backups and notifications of a store. `storectl` is its command line and its client library.',
      contact: { name: 'The storectl authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of the store. Each operation names the scope that the key needs in `x-required-scope`.',
        },
      },
      schemas: { ...responseSchemas(bodies !== undefined), ...shared },
      responses: {
        ...Object.fromEntries(
          Object.entries(refusals).map(([status, { name }]) => [name, describeRefusal(Number(status))]),
        ),
        Failure: failure('Any other failure, such as a request that is not HTTP', {}, {}),
      },
    },
  };
}

function describe(operation: ServedOperation, schema: Json | null): Json {
  const { id, class: kind, summary, service } = operation;
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary,
    description: `${repetition[kind]} The key needs the scope \`${service.scope}\`.`,
    'x-required-scope': service.scope,
    parameters: [
      ...pathParameters(operation).map((name) => ({
        name,
        in: 'path',
        required: true,
        description: parameterTexts[name],
        schema: { type: 'string' },
      })),
      ...(service.versioned && isWrite(operation)
        ? [
            {
              name: 'If-Match',
              in: 'header',
              description: 'Update only if the `ETag` still matches; otherwise returns 412',
              schema: { type: 'string' },
            },
          ]
        : []),
    ],
    ...(schema !== null && {
      requestBody: {
        description: bodyLimits(id),
        required: true,
        content: { 'application/json': { schema, example: service.example } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        (service.success ?? [200]).map((status) => [status, describeSuccess(operation, status)]),
      ),
      ...Object.fromEntries(
        Object.entries(refusals)
          .filter(([, { applies }]) => applies(operation))
          .map(([status, { name }]) => [status, responseReference(name)]),
      ),
      default: responseReference('Failure'),
    },
  };
}

function describeSuccess(operation: ServedOperation, status: 200 | 201): Json {
  const { id, class: kind, service } = operation;
  const { response = operation.response } = service;
  return {
    description: z.globalRegistry.get(response)?.description,
    headers: {
      'X-Request-Id': headers.requestId,
      ...(service.versioned && { ETag: headers.etag }),
      ...(id === 'blog.create' && status === 201 && { Location: headers.location }),
      ...(kind === 'keyed' && { 'Idempotency-Replayed': headers.replayed }),
    },
    content: { 'application/json': { schema: referenceTo(response) } },
  };
}

function describeRefusal(status: number): Json {
  const codes = (Object.keys(problems) as ErrorCode[]).filter((code) => problems[code].status === status);
  return failure(
    codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('. '),
    {
      ...(status === 401 && { 'WWW-Authenticate': headers.authenticate }),
      ...((status === 429 || status === 503) && { 'Retry-After': headers.retryAfter }),
    },
    { properties: { status: { const: status }, code: { enum: codes } } },
    codes[0] && exampleOf(codes[0]),
  );
}

function exampleOf(code: ErrorCode): Json {
  const { status, title } = problems[code];
  const requestId = '0b6e8f4e-6d0c-4a55-9d2f-1c7a52e0b9d3';
  return { type: `urn:storectl:problem:${code}`, title, status, code, requestId };
}

function failure(description: string, moreHeaders: Json, narrower: Json, example?: Json): Json {
  return {
    description,
    headers: { 'X-Request-Id': headers.requestId, ...moreHeaders },
    content: {
      'application/problem+json': {
        schema: { ...referenceTo(problemDetails), ...narrower },
        ...(example && { example }),
      },
    },
  };
}

function responseReference(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}

function referenceTo(schema: z.ZodMiniType): Json {
  return { $ref: schemaUri(String(z.globalRegistry.get(schema)?.id)) };
}

function schemaUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function bodyLimits(id: string): string {
  return `At most ${id === 'blog.create' ? '1 MiB' : '64 KiB'}, 32 levels and 20 000 values.`;
}

/** The body of a request. What several schemas have in common is added to `shared`. */
function bodySchema({ id, body }: ServedOperation, shared: Json, bodies?: BodySchemas): Json | null {
  if (body === null) return null;
  const { $schema: _, ...contract } = z.toJSONSchema(body, { ...options, io: 'input' });
  const checked = bodies?.[id as OperationId];
  if (!checked) return contract;
  const json = JSON.stringify(z.toJSONSchema(checked, { io: 'input' })).replaceAll('#/$defs/', schemaUri(''));
  const { $schema: __, $defs, ...schema } = JSON.parse(json);
  Object.assign(shared, $defs);
  describeFields(schema, contract);
  return schema;
}

/** Copies what the contract says of fields. A field that the service always refuses is left out. */
function describeFields(target: Json, source: Json): void {
  const fields = (target.properties ?? {}) as Record<string, Json>;
  for (const [name, field] of Object.entries(fields)) {
    if (field.not !== undefined) delete fields[name];
    const { properties = {} } = source as { properties?: Record<string, Json> };
    if (properties[name] === undefined) continue;
    const described = withoutNull(properties[name]);
    const { description, [uniqueMark]: isUnique } = described;
    if (description !== undefined) field.description ??= description;
    if (isUnique !== undefined) field[uniqueMark] = isUnique;
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

/** The schemas of responses, which have names. */
function responseSchemas(isStrict: boolean): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: schemaUri,
    override(context) {
      options.override(context);
      if (isStrict) requireSentFields(context.zodSchema, context.jsonSchema);
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
