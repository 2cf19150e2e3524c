import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { describeService } from '../../../src/service/http/operation-handlers.ts';

interface Described {
  readonly content: Record<string, { readonly schema: object }>;
}

interface Document {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, Described | Reference> }>
  >;
  readonly components: { readonly responses: Record<string, Described> };
}

interface Reference {
  readonly $ref: string;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const document: Document = JSON.parse(JSON.stringify(describeService('0.0.0')));
ajv.addSchema({ ...document, $id: 'openapi' }, 'openapi');
const isProblem = compile({ $ref: '#/components/schemas/Problem' });

/** The operations, and how each status that they declare is described. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    answers: new Map(Object.entries(responses).map(([status, answer]) => [status, resolve(answer)])),
  })),
);

/**
 * Checks an answer against openapi.json: an operation answers only with statuses that it declares there, each in the
 * declared form, and every failure has the error format of all.
 */
export function expectConformance(
  method: string,
  path: string,
  response: Pick<Response, 'status'> & { readonly headers: Pick<Headers, 'get'> },
  body: unknown,
): void {
  if (response.status >= 400 && method !== 'HEAD') {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expectValid(isProblem, body);
    expect(body).toMatchObject({
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      detail: expect.stringMatching(/[^.]\.$/),
    });
  }
  const operation = operations.find(
    (one) => one.method === method && one.path.test(path.split('?')[0] ?? ''),
  );
  if (operation === undefined) return;
  const answer = operation.answers.get(String(response.status));
  expect(answer, `${method} ${path} declares ${response.status}`).toBeDefined();
  expect(response.headers.get('content-type')).toBe(answer?.type);
  if (answer !== undefined) expectValid(answer.isValid, body);
}

function resolve(answer: Described | Reference) {
  const { content } =
    '$ref' in answer
      ? (document.components.responses[answer.$ref.replace(/^.*\//, '')] ?? { content: {} })
      : answer;
  const [type, { schema }] = Object.entries(content)[0] ?? ['', { schema: {} }];
  return { type, isValid: compile(schema) };
}

/** A validator of a schema of openapi.json. */
export function compile(schema: object): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
}

function expectValid(validate: ValidateFunction, body: unknown): void {
  validate(body);
  expect(validate.errors, JSON.stringify(body)).toBeNull();
}
