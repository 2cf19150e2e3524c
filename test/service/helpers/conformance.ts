import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { buildOpenApi } from '../../../src/contract/openapi.ts';

interface Described {
  readonly responses: Record<string, { readonly content: Record<string, { readonly schema: object }> }>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const document = buildOpenApi('0.0.0');
ajv.addSchema({ ...document, $id: 'openapi' }, 'openapi');
const isProblem = compile({ $ref: 'openapi#/components/schemas/Problem' });

const operations = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      isSuccess: compile(responses['2XX']?.content['application/json']?.schema ?? {}),
    })),
);

/** Checks an answer against openapi.json: a success by its operation, a failure by the error format of all. */
export function expectConformance(method: string, path: string, response: Response, body: unknown): void {
  if (response.status >= 400 && method !== 'HEAD') {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expectValid(isProblem, body);
    expect(body).toMatchObject({
      status: response.status,
      requestId: response.headers.get('x-request-id'),
    });
  }
  const operation = operations.find(
    (one) => one.method === method && one.path.test(path.split('?')[0] ?? ''),
  );
  if (operation === undefined || response.status >= 300) return;
  expect(response.headers.get('content-type')).toBe('application/json');
  expectValid(operation.isSuccess, body);
}

function compile(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

function expectValid(validate: ValidateFunction, body: unknown): void {
  validate(body);
  expect(validate.errors, JSON.stringify(body)).toBeNull();
}
