import fc from 'fast-check';
import { fetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../../../src/base/json.ts';
import { exampleIds } from '../../../src/contract/objects.ts';
import { createBackup } from '../../../src/contract/operations/backups.ts';
import { type ServedId, servedOperations } from '../../../src/contract/operations/operations.ts';
import { describeService } from '../../../src/service/http/operation-handlers.ts';
import { createApp, createKey, seedExampleStore } from '../../../src/service/index.ts';
import { compile, expectConformance } from '../helpers/conformance.ts';
import { type Schema, valuesOf } from '../helpers/json-schema-values.ts';
import { openTestStorage, serve } from '../helpers/service.ts';

interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      { readonly requestBody?: { readonly content: { readonly 'application/json': { schema: Schema } } } }
    >
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const document = describeService('1.2.3') as Document;
const targets: Partial<Record<ServedId, string>> = {
  'disputes.decide': exampleIds.openDispute,
  'disputes.show': exampleIds.openDispute,
  'reclaim.appeal': exampleIds.reclaim,
};

type Operation = Pick<(typeof servedOperations)[number], 'id' | 'method' | 'path'>;

function bodySchema({ path, method }: Operation): Schema | undefined {
  return document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'].schema;
}

function bodiesOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const resolve = (ref: string) => document.components.schemas[ref.replace(/^.*\//, '')] ?? {};
  return valuesOf(schema, resolve).map((body) => possiblePost(body as Record<string, unknown>));
}

/** What no schema can say: a post is scheduled for the future, was published in the past, and has a slug in NFC. */
function possiblePost(body: Record<string, unknown>): Record<string, unknown> {
  const { scheduledAt, publishedAt, slug } = body;
  return {
    ...body,
    ...(typeof scheduledAt === 'string' && { scheduledAt: scheduledAt.replace(/^\d/, '7') }),
    ...(typeof publishedAt === 'string' && { publishedAt: publishedAt.replace(/^\d/, '1') }),
    ...(typeof slug === 'string' && { slug: slug.normalize('NFC') }),
  };
}

/** Nor can one say which currencies and time zones there are, without being an enumeration in a generated client. */
function hasKnownNames(body: unknown): boolean {
  const names = [
    ['Currency', valueAt(body, ['defaultCurrency'])],
    ['TimeZone', valueAt(body, ['timezone'])],
    ['TimeZone', valueAt(body, ['quietHours', 'timezone'])],
  ] as const;
  return names.every(
    ([schema, name]) =>
      typeof name !== 'string' || document.components.schemas[schema]?.examples?.includes(name) === true,
  );
}

/** The service behind a real server, with the example store in it and a backup of all of that. */
async function startServer() {
  const storage = await openTestStorage(':memory:');
  const { storeId } = await seedExampleStore(storage);
  const { key } = await createKey(storage, { storeId, preset: 'owner' });
  const server = await serve(createApp({ storage, version: '1.2.3', rateLimit: null }));
  /** Checks the answer against the document, too. */
  async function send({ id, method, path: template }: Operation, body: unknown, target = '') {
    const path = template.replace('{storeId}', storeId).replace(/\{\w+\}/, targets[id] ?? target);
    const response = await fetch(server.origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = JSON.parse(await response.text());
    expectConformance(method, path, response, answer);
    return { status: response.status, answer };
  }
  return { storage, send };
}

const withBody = servedOperations.flatMap((operation) => {
  const schema = bodySchema(operation);
  return schema === undefined ? [] : [{ operation, schema, name: operation.id }];
});

test('all but the reads have a body in the document', () => {
  expect(withBody.length).toBe(servedOperations.filter(({ class: own }) => own !== 'read').length);
});

describe('openapi.json is as strict as the service', () => {
  const replacements = [
    null,
    true,
    -1,
    1.5,
    2 ** 53,
    '',
    ' ',
    'wrong',
    'x'.repeat(300_000),
    [],
    [''],
    {},
    { a: 1 },
  ];

  test.each(withBody)(
    '$name: what it allows is accepted, what it refuses is refused',
    async ({ operation, schema }) => {
      const { send } = await startServer();
      const { answer: backup } = await send(createBackup, {
        label: 'all',
        sections: ['store', 'blog', 'settings', 'endpoints'],
        idempotencyKey: 'first',
      });
      const validate = compile(schema);
      const isValid = (body: unknown) => validate(body) && hasKnownNames(body);
      const seen = new Set<number>();
      const check = async (body: unknown) => {
        const { status, answer } = await send(operation, body, backup.id);
        seen.add(status);
        // Too large as a whole, which no schema can say.
        if (status === 413) return;
        const isRefused = status === 400 || (status === 422 && answer.code === 'validation_failed');
        expect(isRefused, JSON.stringify([body, answer]).slice(0, 2000)).toBe(!isValid(body));
      };
      const bodies = bodiesOf(schema).filter(isValid);
      const spoilt = fc
        .tuple(bodies, fc.nat(), fc.constantFrom(...replacements))
        .map(spoil)
        .map(possiblePost);

      await fc.assert(fc.asyncProperty(bodies, check), { numRuns: 40 });
      await fc.assert(fc.asyncProperty(spoilt, check), { numRuns: 40 });

      expect([...seen].filter((status) => status < 300)).not.toEqual([]);
    },
    120_000,
  );

  test.each(servedOperations.filter(({ body }) => body === null))(
    '$id answers as it says',
    async (operation) => {
      const { storage, send } = await startServer();
      const { answer } = await send(createBackup, { label: 'x', sections: ['store'], idempotencyKey: 'x' });
      const post = await storage.read((db) => db.selectFrom('posts').select('id').executeTakeFirstOrThrow());
      const target = operation.id === 'blog.show' ? post.id : answer.id;

      expect(await send(operation, undefined, target)).toMatchObject({ status: 200 });
    },
  );
});

/** Replaces one of the values in `body`, at any depth, or adds a field. */
function spoil([body, choice, value]: [Record<string, unknown>, number, unknown]): Record<string, unknown> {
  const copy = structuredClone(body);
  const places: [Record<string, unknown>, string][] = [];
  const visit = (parent: Record<string, unknown>) => {
    places.push([parent, 'surprise']);
    for (const name of Object.keys(parent)) {
      places.push([parent, name]);
      const child = parent[name];
      if (typeof child === 'object' && child !== null) visit(child as Record<string, unknown>);
    }
  };
  visit(copy);
  const [parent, name] = places[choice % places.length] ?? [copy, 'surprise'];
  if (!Array.isArray(parent)) parent[name] = value;
  return copy;
}
