import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { pathParameters } from '../../src/contract/operation.ts';
import { createBackup } from '../../src/contract/operations/backups.ts';
import { eventTypes } from '../../src/contract/operations/notifications.ts';
import { servedOperations } from '../../src/contract/operations/operations.ts';
import { scopes } from '../../src/contract/operations/scopes.ts';
import { describeService } from '../../src/service/http/operation-handlers.ts';

/** What the document must say besides what `npm run check:openapi` asks of any. */
const documentShape = z.looseObject({
  openapi: z.literal('3.1.0'),
  security: z.tuple([z.strictObject({ apiKey: z.tuple([]) })]),
  info: z.looseObject({ title: z.string(), version: z.literal('1.2.3') }),
  paths: z.record(
    z.string().startsWith('/v1/'),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        'x-required-scope': z.enum(scopes),
        'x-addition': z.literal(true).optional(),
        parameters: z.array(z.looseObject({ name: z.string(), in: z.enum(['path', 'query', 'header']) })),
        requestBody: z
          .looseObject({
            content: z.strictObject({
              'application/json': z.looseObject({
                schema: z.looseObject({ type: z.literal('object') }),
                example: z.looseObject({}),
              }),
            }),
          })
          .optional(),
      }),
    ),
  ),
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
    responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
  }),
});

function named(parameters: readonly { readonly name: string; readonly in: string }[], where: string) {
  return parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
}

describe('the OpenAPI document', () => {
  const document = documentShape.parse(describeService('1.2.3'));

  test('has all operations under their path and method, with their parameters', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: named(operation.parameters, 'path'),
        query: named(operation.parameters, 'query'),
        body: operation.requestBody !== undefined,
        isAddition: operation['x-addition'] === true,
      })),
    );

    expect(found.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      servedOperations
        .map((operation) => ({
          id: operation.id,
          method: operation.method,
          path: operation.path,
          parameters: pathParameters(operation),
          query: 'query' in operation ? Object.keys(operation.query.shape) : [],
          body: operation.body !== null,
          isAddition: 'isAddition' in operation,
        }))
        .sort((a, b) => a.id.localeCompare(b.id)),
    );
  });

  test('every reference in it leads somewhere, and every component is used', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target,
    );

    const targets = [
      ...Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(document.components.responses).map((name) => `#/components/responses/${name}`),
    ];
    expect([...new Set(references)].sort()).toEqual(targets.sort());
  });

  test('says what is required, and refuses other fields', () => {
    const schema =
      document.paths['/v1/stores/{storeId}/operations/backups']?.post?.requestBody?.content[
        'application/json'
      ].schema;

    expect(schema).toMatchObject({ required: ['label', 'sections', 'idempotencyKey'] });
    expect(schema?.additionalProperties).toBe(false);
  });

  test('names the values that the service knows, which the contract leaves open', () => {
    const made = JSON.stringify(describeService('1.2.3'));

    expect(made).toContain(JSON.stringify({ type: 'string', enum: eventTypes }));
    expect(made).toContain('"enum":["open","won","lost","withdrawn"]');
    expect(createBackup.body.safeParse({ label: '', sections: ['new'], idempotencyKey: '' }).success).toBe(
      true,
    );
  });
});
