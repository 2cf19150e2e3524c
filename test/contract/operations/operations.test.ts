import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { itemFields } from '../../../src/contract/filters.ts';
import { objectKinds } from '../../../src/contract/objects.ts';
import {
  buildPath,
  type Operation,
  parametersOf,
  pathParameterProblem,
  pathParameters,
} from '../../../src/contract/operation.ts';
import {
  additions,
  findOperation,
  operations,
  servedOperations,
} from '../../../src/contract/operations/operations.ts';

/** With its query, as one type for all. */
const lists = additions.flatMap((addition) => {
  const operation: Operation = addition;
  const { query } = operation;
  return query === undefined ? [] : [{ ...operation, query }];
});

test('docs/contract.md lists each operation, and each filter of each list', () => {
  const text = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
  const rows = text.split('\n');
  for (const { id, method, path, ...operation } of servedOperations) {
    const row = rows.find((line) => line.includes(`| ${method} | ${path} |`));
    expect(row, id).toBeDefined();
    const filters = 'filters' in operation ? Object.keys(operation.filters) : [];
    for (const name of filters) expect(row, id).toMatch(new RegExp(`\`${name}[\`=]`));
  }
});

describe.each(lists)('the filters of $id', ({ id, query, filters = {}, response }) => {
  test('are all parameters but those of the page, and each compares with a field of an item', () => {
    expect(Object.keys(query.shape).sort()).toEqual([...Object.keys(filters), 'after', 'limit'].sort());
    const fields = Object.keys(itemFields({ response }));
    for (const { field } of Object.values(filters)) expect(fields).toContain(field);
  });

  test('compare with fields that are remembered, so that --seen knows them', () => {
    const kind = Object.values(objectKinds).find(({ list }) => list.join('.') === id);
    expect(kind).toBeDefined();
    for (const { field } of Object.values(filters)) expect(kind?.fields).toContain(field);
  });
});

// Section 4 of the contract; the class says what may be done if a response is lost.
test('the operations, and how each may be repeated', () => {
  expect(
    operations.map(({ id, method, path, class: repeated }) => `${id} ${repeated} ${method} ${path}`),
  ).toEqual([
    'store.update repeatable PATCH /v1/stores/{storeId}',
    'blog.create one-shot POST /v1/stores/{storeId}/blog/posts',
    'disputes.decide one-shot POST /v1/stores/{storeId}/operations/disputes/{disputeId}/decision',
    'settings.show read GET /v1/stores/{storeId}/operations/settings',
    'settings.save repeatable PUT /v1/stores/{storeId}/operations/settings',
    'disputes.open keyed POST /v1/stores/{storeId}/operations/disputes',
    'disputes.show read GET /v1/stores/{storeId}/operations/disputes/{disputeId}',
    'backup.create keyed POST /v1/stores/{storeId}/operations/backups',
    'backup.restore keyed POST /v1/stores/{storeId}/operations/backups/{backupId}/restore',
    'reclaim.appeal one-shot POST /v1/stores/{storeId}/operations/subdomain-reclaims/{reclaimId}/appeal',
    'notify.add-endpoint one-shot POST /v1/stores/{storeId}/notifications/endpoints',
    'notify.mark-read repeatable POST /v1/stores/{storeId}/notifications/read',
  ]);
});

test('additions are marked, change nothing, and say whether the service has them', () => {
  const rows = additions.map(
    ({ id, service, path }) => `${id} ${service.scope} ${path.replace(/^.*{storeId}/, '')}`,
  );

  expect(rows).toEqual([
    'store.show store:read ',
    'blog.list blog:read /blog/posts',
    'blog.show blog:read /blog/posts/{postId}',
    'disputes.list disputes:read /operations/disputes',
    'backup.list backups:read /operations/backups',
    'backup.show backups:read /operations/backups/{backupId}',
    'reclaim.list reclaims:read /operations/subdomain-reclaims',
    'notify.list notifications:read /notifications/endpoints',
    'notify.inbox notifications:read /notifications',
  ]);
  for (const operation of additions) {
    expect(operation).toMatchObject({ class: 'read', method: 'GET', isAddition: true, body: null });
    expect(findOperation(operation.id)).toBe(operation);
  }
});

test('keyed operations are those whose body names an idempotency key', () => {
  const withKey = operations.filter(({ body }) => body !== null && 'idempotencyKey' in body.shape);

  expect(withKey.map(({ id }) => id)).toEqual(
    operations.filter((operation) => operation.class === 'keyed').map(({ id }) => id),
  );
});

test('an operation is found by its id, and an unknown id finds nothing', () => {
  expect(findOperation('backup.create')?.path).toBe('/v1/stores/{storeId}/operations/backups');
  expect(findOperation('backup.delete')).toBeUndefined();
});

describe('path parameters', () => {
  const operation = { path: '/v1/stores/{storeId}/operations/backups/{backupId}/restore' };

  test('are read from the template in their order', () => {
    expect(pathParameters(operation)).toEqual(['storeId', 'backupId']);
    expect(pathParameters({ path: '/healthz' })).toEqual([]);
  });

  test.each([
    ['plain', '/plain/'],
    ['4be5c0de-0000-4000-8000-000000000001', '/4be5c0de-0000-4000-8000-000000000001/'],
    ['a?b#c', '/a%3Fb%23c/'],
    ['100%2F', '/100%252F/'],
    ['a:b@c;d=e&f', '/a%3Ab%40c%3Bd%3De%26f/'],
    ['ünïcode', '/%C3%BCn%C3%AFcode/'],
    ['{storeId}', '/%7BstoreId%7D/'],
    ['$&', '/%24%26/'],
    ['...', '/.../'],
  ])('%s is percent-encoded', (value, expected) => {
    const path = buildPath(operation, { storeId: 's', backupId: value });

    expect(path).toBe(`/v1/stores/s/operations/backups${expected}restore`);
    expect(new URL(path, 'http://host').pathname).toBe(path);
  });

  test.each([
    ['', 'is empty'],
    ['.', 'must not be "." or ".."'],
    ['..', 'must not be "." or ".."'],
    ['a/b', 'must not contain a slash'],
    ['../../other', 'must not contain a slash'],
    ['a\\b', 'must not contain a slash'],
    ['a b', 'must not contain spaces or control characters'],
    ['a\nb', 'must not contain spaces or control characters'],
    ['a\u009bb', 'must not contain spaces or control characters'],
    ['a\ud800', 'is not valid Unicode'],
  ])('%j is refused', (value, problem) => {
    expect(pathParameterProblem(value)).toBe(problem);
    expect(() => buildPath(operation, { storeId: 's', backupId: value })).toThrow(
      new RangeError(`backupId ${problem}`),
    );
  });

  test('a UUID is the same however it is written; other ids are left as they are', () => {
    const path = (id: string) => buildPath(operation, { storeId: 's', backupId: id });
    const id = '01a2c1f0-7d1e-7c3a-9b52-0f48197d60fe';
    expect(path(id.toUpperCase())).toBe(path(id));
    expect(path('Backup-A')).toContain('/Backup-A/');
  });

  test('a missing one is refused, not sent as nothing', () => {
    expect(() => buildPath(operation, { storeId: 's' })).toThrow(new RangeError('backupId is empty'));
  });
});

test('what a response repeats is a parameter of its path or a field of its request, and of the response', () => {
  for (const { id, path, body, response, repeats = [] } of operations.map(
    (operation): Operation => operation,
  )) {
    for (const { field, parameter } of repeats) {
      const asked = parameter === undefined ? Object.keys(body?.shape ?? {}) : pathParameters({ path });
      expect(asked, id).toContain(parameter ?? field);
      const [name = ''] = field.split('.');
      // The restore and the appeal answer with any fields.
      if (Object.keys(response.shape).length > 0) expect(Object.keys(response.shape), id).toContain(name);
    }
  }
});

test('the parameters of a path are those that it was built with', () => {
  const operation = { path: '/v1/stores/{storeId}/operations/backups/{backupId}/restore' };
  const parameters = { storeId: 'a?b', backupId: 'ü' };

  expect(parametersOf(operation, buildPath(operation, parameters))).toEqual(parameters);
  expect(parametersOf(operation, '/v1/stores/s/settings')).toEqual({});
});
