import { describe, expect, test } from 'vitest';
import { faults, openService, type Service } from '../helpers/service.ts';
import { ids, page, pages, read } from './read-pages.ts';

describe('disputes.list', () => {
  /** Opens a dispute that a word names. */
  async function open(service: Service, reason: string, more: object = {}): Promise<string> {
    const body = { kind: 'payment', reason, idempotencyKey: reason, ...more };
    return (await service.call('disputes.open', '', body)).body.id;
  }

  test('has records without their risk signals', async () => {
    const service = await openService();
    const id = await open(service, 'a', { riskSignals: { score: 9 }, buyerEmail: 'a@example.com' });
    const { riskSignals, ...record } = (await service.call('disputes.show', id)).body.record;

    expect(riskSignals).toEqual({ score: 9 });
    expect((await page(service, 'disputes.list')).items).toEqual([record]);
  });

  test('has the open ones by deadline, and by id where it is the same', async () => {
    const service = await openService();
    const late = await open(service, 'late', { deadlineAt: '2031-01-01T00:00:00Z' });
    const first = await open(service, 'first', { deadlineAt: '2030-06-01T00:00:00Z' });
    const second = await open(service, 'second', { deadlineAt: '2030-06-01T00:00:00Z' });
    const decided = await open(service, 'decided', { deadlineAt: '2030-05-01T00:00:00Z' });
    await service.call('disputes.decide', decided, { status: 'lost', resolution: 'x' });

    for (const limit of [1, 2, 50]) {
      const found = await pages(service, 'disputes.list', { status: 'open', limit });
      expect(ids(found.flat())).toEqual([first, second, late]);
    }
    expect(ids((await page(service, 'disputes.list')).items)).toEqual([decided, second, first, late]);
  });

  test('has those that were decided in one way, newest first', async () => {
    const service = await openService();
    const opened: string[] = [];
    for (const status of ['won', 'lost', 'won', 'withdrawn', 'won', 'open']) {
      const id = await open(service, `d${opened.length}`);
      if (status !== 'open') await service.call('disputes.decide', id, { status, resolution: 'x' });
      opened.push(id);
    }

    for (const limit of [1, 2, 50]) {
      const found = await pages(service, 'disputes.list', { status: 'won', limit });
      expect(ids(found.flat())).toEqual([opened[4], opened[2], opened[0]]);
    }
    expect(ids((await page(service, 'disputes.list', { status: 'withdrawn' })).items)).toEqual([opened[3]]);
  });

  test('a decision during paging hides no other dispute', async () => {
    const service = await openService();
    const opened: string[] = [];
    for (let day = 1; day <= 8; day++) {
      opened.push(await open(service, `d${day}`, { deadlineAt: `2030-06-0${day}T00:00:00Z` }));
    }
    const found = await pages(service, 'disputes.list', { status: 'open', limit: 2 }, async (count) => {
      await service.call('disputes.decide', opened[2 * count - 2] ?? '', { status: 'won', resolution: 'x' });
    });

    expect(ids(found.flat())).toEqual(opened);
  });

  test('finds those of a case and of an order, whatever the case of letters in a UUID', async () => {
    const service = await openService();
    const orderId = '4be5c0de-0000-4000-8000-00000000000a';
    const one = await open(service, 'one', { providerCaseId: 'CASE 1', orderId });
    const two = await open(service, 'two', { providerCaseId: 'CASE 1' });
    await open(service, 'three', { providerCaseId: 'case 1' });

    const find = async (query: Record<string, string>) =>
      ids((await page(service, 'disputes.list', query)).items);
    expect(await find({ providerCaseId: 'CASE 1' })).toEqual([two, one]);
    expect(await find({ orderId: orderId.toUpperCase() })).toEqual([one]);
    expect(await find({ providerCaseId: 'CASE 1', orderId, status: 'open' })).toEqual([one]);
    await service.call('disputes.decide', one, { status: 'won', resolution: 'x' });
    expect(await find({ providerCaseId: 'CASE 1', status: 'open' })).toEqual([two]);
  });

  test('refuses filters that it does not know', async () => {
    const service = await openService();
    const refused = async (query: Record<string, string>) =>
      faults(await read(service, 'disputes.list', query));

    expect(await refused({ status: 'closed' })).toEqual(['/status invalid_value']);
    expect(await refused({ orderId: 'x' })).toEqual(['/orderId invalid_format']);
    expect(await refused({ providerCaseId: 'x\0' })).toEqual(['/providerCaseId invalid_format']);
    await open(service, 'a');
    await open(service, 'b');
    const { next = '' } = await page(service, 'disputes.list', { limit: 1 });
    expect(await refused({ status: 'open', after: next })).toEqual(['/after invalid_format']);
  });
});
