import * as z from 'zod/mini';
import { type Operation, pathParameters } from './operation.ts';
import { operations } from './operations.ts';
import { problemDetails } from './problem.ts';

/** A JSON object. */
type Json = Record<string, unknown>;

/**
 * OpenAPI 3.1 description of the 12 operations. Success is `2XX` and every failure is `default`,
 * because the contract shows neither statuses nor errors (sections 4 and 7).
 */
export function buildOpenApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Store Management Service', version },
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: jsonSchema(problemDetails) },
    },
  };
}

function describe(operation: Operation): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    parameters: pathParameters(operation).map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(operation.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(operation.body) } },
      },
    }),
    responses: {
      '2XX': {
        description: 'Done',
        content: { 'application/json': { schema: jsonSchema(operation.response) } },
      },
      default: {
        description: 'Refused or failed',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function jsonSchema(schema: z.ZodMiniType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  return rest;
}
