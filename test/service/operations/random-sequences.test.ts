import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { OperationId } from '../../../src/contract/operations/operations.ts';
import { openStorage, type Storage } from '../../../src/service/index.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import { startPostgres } from '../../helpers/postgres.ts';
import { openService, openTestStorage } from '../helpers/service.ts';
import { dumpStore, withoutIds } from './dump-store.ts';
import { deepSequence, type Step, steps } from './random-requests.ts';

/** More by STORECTL_MODEL_RUNS=1000. */
const numRuns = Number(process.env.STORECTL_MODEL_RUNS ?? 12);

const kindOf: Partial<Record<OperationId, 'disputes' | 'backups' | 'reclaims'>> = {
  'disputes.open': 'disputes',
  'disputes.decide': 'disputes',
  'disputes.show': 'disputes',
  'backup.create': 'backups',
  'backup.restore': 'backups',
  'reclaim.appeal': 'reclaims',
};

/** Runs the steps in a new store. Answers what a client sees and what the database then holds. */
async function play(storage: Storage, sequence: readonly Step[]): Promise<unknown[]> {
  const service = await openService({ storage });
  const reclaims = [createId(), createId()];
  await service.inStore(async (work) => {
    for (const id of reclaims) {
      const times = { createdAt: '2030-01-01T00:00:00.000Z', appealText: null, appealedAt: null };
      await insert(work, 'subdomainReclaims', {
        id,
        subdomain: 'x',
        reason: 'y',
        status: 'noticed',
        ...times,
      });
    }
  });
  const made: Record<'disputes' | 'backups' | 'reclaims', string[]> = { disputes: [], backups: [], reclaims };
  let etag = 'none';
  const seen: unknown[] = [];
  for (const { operation, body, target, ifMatch: condition, seconds } of sequence) {
    service.clock.now += seconds * 1000;
    const kind = kindOf[operation];
    const targetId = target === undefined || kind === undefined ? '' : pick(made[kind], target);
    const headers = condition ? { 'if-match': condition === 'last' ? etag : '"wrong"' } : {};
    const answer = await service.call(operation, targetId, body, { headers });
    etag = answer.headers.get('etag') ?? etag;
    if (answer.status === 201 && kind && target === undefined) made[kind].push(answer.body.id);
    const { 'x-request-id': _, ...answered } = Object.fromEntries(answer.headers);
    seen.push([operation, answer.status, answered, { ...answer.body, requestId: undefined }]);
  }
  return withoutIds([...seen, await dumpStore(service)], service);
}

function pick(ids: readonly string[], target: number): string {
  return (target > 0 && ids[target % ids.length]) || createId();
}

const cluster = await startPostgres();
afterAll(() => cluster.stop());

test('both engines give the same answers to random sequences of requests and store the same', async () => {
  const embedded = await openTestStorage();
  const postgres = await openStorage((await cluster.createDatabase()).url);
  onTestFinished(() => postgres.close());
  const statuses = new Set<string>();

  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const expected = await play(embedded, sequence);
      expect(await play(postgres, sequence)).toEqual(expected);
      for (const answer of expected) statuses.add(/^\["[\w.-]+",\d+/.exec(String(answer))?.[0] ?? '');
    }),
    { numRuns, examples: [[deepSequence]] },
  );

  // The sequences go deep enough to find something to restore and to decide.
  for (const status of ['["backup.restore",200', '["disputes.decide",200']) {
    expect([...statuses]).toContain(status);
  }
});
