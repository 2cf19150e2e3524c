import * as z from 'zod/mini';
import { additionHeaders } from '../headers.ts';
import {
  describeParameter,
  type OperationClass,
  pathParameters,
  type ServedOperation,
} from '../operation.ts';
import { servedOperations } from '../operations/operations.ts';
import { type ErrorCode, problemDetails, problems } from '../problem.ts';
import {
  type BodySchemas,
  bodySchema,
  type Json,
  parameterSchemas,
  responseSchemas,
  schemaUri,
} from './schemas.ts';

const tags: Readonly<Record<string, string>> = {
  store: 'The store and its settings',
  blog: 'Posts in the blog of the store',
  disputes: 'Disputes, their evidence and their decisions',
  settings: 'Operations settings, such as quiet hours',
  backup: 'Backups of the store',
  reclaim: 'Subdomain reclaim notices',
  notify: 'Notifications and where they are sent',
};

const repetition: Readonly<Record<OperationClass, string>> = {
  read: 'Read-only.',
  repeatable: 'Idempotent.',
  keyed:
    'Idempotent per idempotency key: repeating a request returns the first response, with `Idempotency-Replayed: true`.',
  'one-shot':
    'With an `Idempotency-Key`, repeating a request returns the first response, with `Idempotency-Replayed: true`; without one it may be applied again.',
};

/** The names of refusals, by their status. */
const refusals: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'Stale',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  503: 'Busy',
};

function mayRefuse(operation: ServedOperation, status: number): boolean {
  const { body, isAddition, service } = operation;
  if (status === 422 && isAddition) return true;
  if ([400, 413, 415, 422].includes(status)) return body !== null;
  if (status === 409) return service.conflicts === true;
  return status !== 412 || (service.versioned === true && isWrite(operation));
}

function isWrite(operation: ServedOperation): boolean {
  return operation.class !== 'read';
}

const headers = {
  requestId: header('ID of this request in the service log'),
  features: header(
    'What the service has beyond the contract: `reads`, and `keys` if the `Idempotency-Key` of the request arrived',
  ),
  scopes: header('Scopes of the key'),
  ratePolicy: header('How many requests the key may send: `q` in `w` seconds'),
  kept: header('`true` if this refusal stays the response to the `Idempotency-Key`'),
  retryAfter: header('Seconds to wait before the next request'),
  etag: header('Version of the response, for `If-Match`'),
  location: header('Path of the new object'),
  replayed: header(
    '`true` if this is the stored response to an earlier request with the same idempotency key',
  ),
  authenticate: header('How to authenticate'),
};

const headersOfAll = { 'X-Request-Id': headers.requestId, [additionHeaders.features]: headers.features };

/** Of refusals that may stay the response to a key. */
const keptStatuses: readonly number[] = [404, 409, 412, 422];

/**
 * OpenAPI 3.1 description of the operations, as strict as this repository's service: bodies that fit it are accepted, and
 * responses fit it. Of a body that is not in `bodies` it says what the contract says.
 */
export function buildOpenApi(version: string, bodies: BodySchemas): Json {
  const shared: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of servedOperations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, bodySchema(operation, shared, bodies)),
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
      schemas: { ...responseSchemas(), ...shared },
      responses: {
        ...Object.fromEntries(
          Object.entries(refusals).map(([status, name]) => [name, describeRefusal(Number(status))]),
        ),
        Failure: failure('Any other failure, such as a request that is not HTTP', {}, {}),
      },
    },
  };
}

function describeOperation(operation: ServedOperation, schema: Json | null): Json {
  const { id, class: kind, summary, isAddition, service } = operation;
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary,
    description: `${repetition[kind]} The key needs the scope \`${service.scope}\`.`,
    ...(isAddition && { 'x-addition': true }),
    'x-required-scope': service.scope,
    parameters: [
      ...pathParameters(operation).map((name) => ({
        name,
        in: 'path',
        required: true,
        description: describeParameter(name),
        schema: { type: 'string' },
      })),
      ...queryParameters(operation),
      ...headerParameters(operation),
    ],
    ...(schema !== null && {
      requestBody: {
        description: `At most ${id === 'blog.create' ? '1 MiB' : '64 KiB'}, 32 levels and 20 000 values.`,
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
          .filter(([status]) => mayRefuse(operation, Number(status)))
          .map(([status, name]) => [status, responseReference(name)]),
      ),
      default: responseReference('Failure'),
    },
  };
}

function queryParameters({ query }: ServedOperation): Json[] {
  return Object.entries(query === undefined ? {} : parameterSchemas(query)).map(
    ([name, { description, ...schema }]) => ({ name, in: 'query', description, schema }),
  );
}

function headerParameters(operation: ServedOperation): Json[] {
  const parameters: Json[] = [];
  if (operation.service.versioned && isWrite(operation)) {
    parameters.push({
      name: 'If-Match',
      in: 'header',
      description: 'Update only if the `ETag` still matches; otherwise returns 412',
      schema: { type: 'string' },
    });
  }
  if (hasHeaderKey(operation)) {
    parameters.push({
      name: additionHeaders.idempotencyKey,
      in: 'header',
      description:
        'Requests with the same key are applied only once, for 48 hours. The key may be in quotes. A refusal stays the response to it, too: send a corrected request with another key',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    });
  }
  return parameters;
}

function hasHeaderKey(operation: ServedOperation): boolean {
  return isWrite(operation) && operation.class !== 'keyed';
}

function describeSuccess(operation: ServedOperation, status: 200 | 201): Json {
  const { id, service } = operation;
  const { response = operation.response } = service;
  return {
    description: z.globalRegistry.get(response)?.description,
    headers: {
      ...headersOfAll,
      [additionHeaders.scopes]: headers.scopes,
      [additionHeaders.rateLimitPolicy]: headers.ratePolicy,
      ...(service.versioned && { ETag: headers.etag }),
      ...(id === 'blog.create' && status === 201 && { Location: headers.location }),
      ...(isWrite(operation) && { [additionHeaders.replayed]: headers.replayed }),
    },
    content: { 'application/json': { schema: referenceTo(response) } },
  };
}

function describeRefusal(status: number): Json {
  const codes = (Object.keys(problems) as ErrorCode[]).filter((code) => problems[code].status === status);
  return failure(
    codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('. '),
    {
      ...(keptStatuses.includes(status) && { [additionHeaders.kept]: headers.kept }),
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
    headers: { ...headersOfAll, ...moreHeaders },
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
