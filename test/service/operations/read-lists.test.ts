import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { servedOperations } from '../../../src/contract/operations/operations.ts';
import { readHandlers } from '../../../src/service/http/read-handlers.ts';
import { createKey } from '../../../src/service/index.ts';
import { expectFaults, faults, openService } from '../helpers/service.ts';
import { ids, lists, make, page, pages, read } from './read-pages.ts';

describe.each(lists)('%s', (list) => {
  test('begins empty', async () => {
    const service = await openService();
    expect(await page(service, list)).toEqual({ items: [] });
  });

  test('has the newest first, on pages of the length that is asked for', async () => {
    const service = await openService();
    const expected: string[] = [];
    for (let count = 0; count < 7; count++) expected.unshift(await make(service, list));

    const all = await page(service, list);
    expect(ids(all.items)).toEqual(expected);
    expect(all.next).toBeUndefined();
    for (const limit of [1, 3, 6, 7, 100]) {
      const found = await pages(service, list, { limit });
      expect(found.map((items) => items.length)).toEqual(
        Array.from({ length: Math.ceil(7 / limit) }, (_, index) => Math.min(limit, 7 - index * limit)),
      );
      expect(ids(found.flat())).toEqual(expected);
    }
  });

  test('has 50 items on a page unless asked for another number', async () => {
    // A store has at most 20 endpoints, and others take longer to make.
    if (list !== 'reclaim.list') return;
    const service = await openService();
    for (let count = 0; count < 51; count++) await make(service, list);

    expect((await page(service, list)).items).toHaveLength(50);
    expect((await page(service, list, { limit: 100 })).items).toHaveLength(51);
  });

  test('refuses a parameter or a value that it does not know by its name', async () => {
    const service = await openService();
    const other = lists.find((one) => one !== list && one.split('.')[0] !== list.split('.')[0]) ?? list;
    for (let count = 0; count < 2; count++) await make(service, other);
    const foreign = (await page(service, other, { limit: 1 })).next ?? '';
    const hasOwnOrder = ['blog.list', 'notify.inbox'].includes(list) || ['blog.list'].includes(other);
    const cases: readonly (readonly [string, string])[] = [
      ['nope=1', '/nope unknown_parameter'],
      ['Limit=1', '/Limit unknown_parameter'],
      ['__proto__=1', '/__proto__ unknown_parameter'],
      ['limit=', '/limit invalid_format'],
      ['limit=0', '/limit invalid_format'],
      ['limit=-1', '/limit invalid_format'],
      ['limit=1.5', '/limit invalid_format'],
      ['limit=1e1', '/limit invalid_format'],
      ['limit=101', '/limit too_big'],
      ['limit=1&limit=2', '/limit duplicate'],
      ['after=', '/after invalid_format'],
      ['after=nonsense', '/after invalid_format'],
      [`after=${Buffer.from('["id","\\u0000"]').toString('base64url')}`, '/after invalid_format'],
      [`after=${Buffer.from('{"id":1}').toString('base64url')}`, '/after invalid_format'],
      ...(hasOwnOrder ? [[`after=${foreign}`, '/after invalid_format'] as const] : []),
    ];
    for (const [query, fault] of cases) {
      const operation = servedOperations.find(({ id }) => id === list);
      const path = operation?.path.replace('{storeId}', service.storeId);
      expect(faults(await service.send('GET', `${path}?${query}`)), query).toEqual([fault]);
    }
  });

  test('knows each parameter that the contract names, and no other', () => {
    const operation = servedOperations.find(({ id }) => id === list);
    const named = operation !== undefined && 'query' in operation ? Object.keys(operation.query.shape) : [];
    expect(named).toContain('limit');
    const { query } = readHandlers[list];
    expect(Object.keys((query as z.ZodObject).shape).sort()).toEqual(named.sort());
  });

  test('has what its store has, and nothing of another', async () => {
    const service = await openService();
    const other = await openService({ storage: service.storage });
    const own = [await make(service, list), await make(service, list)];
    await make(other, list);
    const { next = '' } = await page(service, list, { limit: 1 });

    expect(ids((await page(service, list)).items)).toEqual(own.toReversed());
    expect(ids((await page(other, list)).items)).not.toContain(own[0]);
    const elsewhere = await page(other, list, { after: next });
    for (const id of own) expect(ids(elsewhere.items)).not.toContain(id);
  });

  test('paging while others write shows nothing twice, and everything that was there from beginning to end', async () => {
    const service = await openService();
    const before: string[] = [];
    for (let count = 0; count < 6; count++) before.unshift(await make(service, list));
    const found = await pages(service, list, { limit: 2 }, async () => {
      await make(service, list);
    });

    expect(ids(found.flat())).toEqual(before);
  });
});

test('reads without a list refuse every parameter', async () => {
  const service = await openService();
  for (const id of ['store.show', 'blog.show', 'backup.show'] as const) {
    expect(faults(await read(service, id, { limit: 1 }, { target: 'x' }))).toEqual([
      '/limit unknown_parameter',
    ]);
  }
});

test('a HEAD of a list has the headers of its GET', async () => {
  const service = await openService();
  const path = `/v1/stores/${service.storeId}/operations/backups`;

  expect((await service.send('HEAD', `${path}?limit=1`)).status).toBe(200);
  expect((await service.send('HEAD', `${path}?nope=1`)).status).toBe(422);
});

test('an unusable query is refused before anything is read, and after the scope', async () => {
  const service = await openService();
  const { key } = await createKey(service.storage, { storeId: service.storeId, scopes: [] });

  expect((await read(service, 'backup.list', { nope: 1 }, { key })).status).toBe(403);
  await expectFaults(service, 'store.update', [[{ nope: 1 }, ['/nope unknown_field']]]);
});
