import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildOpenApi } from '../../src/contract/openapi.ts';
import { pathParameters } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';

const schemaObject = z.looseObject({ type: z.literal('object') });

const documentShape = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.literal('1.2.3') }),
  security: z.tuple([z.strictObject({ apiKey: z.tuple([]) })]),
  paths: z.record(
    z.string().startsWith('/v1/'),
    z.record(
      z.enum(['get', 'post', 'put', 'patch']).or(z.string().max(0)),
      z.strictObject({
        operationId: z.string(),
        summary: z.string().min(1),
        parameters: z.array(
          z.strictObject({
            name: z.string(),
            in: z.literal('path'),
            required: z.literal(true),
            schema: z.strictObject({ type: z.literal('string') }),
          }),
        ),
        requestBody: z
          .strictObject({
            required: z.literal(true),
            content: z.strictObject({ 'application/json': z.strictObject({ schema: schemaObject }) }),
          })
          .optional(),
        responses: z.strictObject({
          '2XX': z.strictObject({
            description: z.string().min(1),
            content: z.strictObject({ 'application/json': z.strictObject({ schema: schemaObject }) }),
          }),
          default: z.looseObject({ description: z.string().min(1) }),
        }),
      }),
    ),
  ),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      apiKey: z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer') }),
    }),
    schemas: z.strictObject({ Problem: schemaObject }),
  }),
});

describe('the OpenAPI document', () => {
  const document = documentShape.parse(buildOpenApi('1.2.3'));

  test('has the 12 operations under their path and method, with their parameters', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map(({ name }) => name),
        body: requestBody !== undefined,
      })),
    );

    expect(found.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      operations
        .map((operation) => ({
          id: operation.id,
          method: operation.method,
          path: operation.path,
          parameters: pathParameters(operation),
          body: operation.body !== null,
        }))
        .sort((a, b) => a.id.localeCompare(b.id)),
    );
  });

  test('every reference in it leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target,
    );

    expect(new Set(references)).toEqual(new Set(['#/components/schemas/Problem']));
    expect(document.components.schemas.Problem).toBeDefined();
  });

  test('says what is required and lets other fields pass', () => {
    const schema =
      document.paths['/v1/stores/{storeId}/operations/backups']?.post?.requestBody?.content[
        'application/json'
      ].schema;

    expect(schema).toMatchObject({ required: ['label', 'sections', 'idempotencyKey'] });
    expect(schema?.additionalProperties).not.toBe(false);
  });

  test('is JSON and nothing else', () => {
    const made = buildOpenApi('1.2.3');

    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });
});
