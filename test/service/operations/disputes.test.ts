import { expect, test } from 'vitest';
import { createId } from '../../../src/service/model/ids.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import { expectFaults, faults, listEvents, openService } from '../helpers/service.ts';

const dispute = { kind: 'payment', reason: 'Charged twice', idempotencyKey: 'd-1' };

test('a dispute opens with its deadlines', async () => {
  const service = await openService();
  const answer = await service.call('disputes.open', '', dispute);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    storeId: service.storeId,
    env: 'live',
    kind: 'payment',
    status: 'open',
    reason: 'Charged twice',
    riskSignals: {},
    deadlineAt: '2030-03-08T12:00:00.000Z',
    appealDeadlineAt: '2030-03-15T12:00:00.000Z',
    idempotencyKey: 'd-1',
    createdAt: '2030-03-01T12:00:00.000Z',
    updatedAt: '2030-03-01T12:00:00.000Z',
  });
  expect((await listEvents(service)).map((event) => event.type)).toEqual(['dispute_opened']);
});

test('a dispute takes every optional field', async () => {
  const service = await openService();
  const optional = {
    orderId: '8c1f6f0e-5b7d-4a3c-9a52-6d1f0b7c2e11',
    buyerEmail: 'buyer@mail.example',
    providerCaseId: 'PP-1',
    riskSignals: { score: 0.7, list: [1, null], nested: { a: true } },
    deadlineAt: '2030-05-01T00:00:00.000Z',
    appealDeadlineAt: '2030-06-01T00:00:00.000Z',
  };
  const answer = await service.call('disputes.open', '', { ...dispute, kind: 'chargeback_2', ...optional });
  expect(answer.body).toMatchObject({ kind: 'chargeback_2', ...optional });
});

test('a dispute is shown with its evidence, oldest first', async () => {
  const service = await openService();
  const { id } = (await service.call('disputes.open', '', dispute)).body;
  const shown = { kind: 'note', label: '', textValue: 'text', submittedBy: 'owner' };
  const item = { ...shown, storageKey: null };
  await service.inStore(async (work) => {
    await insert(work, 'disputeEvidence', {
      disputeId: id,
      ...item,
      id: createId(),
      label: 'second',
      createdAt: '2030-02-02T00:00:00.000Z',
    });
    await insert(work, 'disputeEvidence', {
      disputeId: id,
      ...item,
      id: createId(),
      label: 'first',
      createdAt: '2030-02-01T00:00:00.000Z',
    });
  });
  const answer = await service.call('disputes.show', id);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(['record', 'evidence']);
  expect(answer.body.record).toMatchObject({ id, status: 'open' });
  expect(answer.body.evidence).toEqual([
    { ...shown, id: expect.any(String), label: 'first', createdAt: '2030-02-01T00:00:00.000Z' },
    { ...shown, id: expect.any(String), label: 'second', createdAt: '2030-02-02T00:00:00.000Z' },
  ]);
});

test.each(['won', 'lost', 'withdrawn'])('an open dispute is decided once: %s', async (status) => {
  const service = await openService();
  const { id, ...opened } = (await service.call('disputes.open', '', dispute)).body;
  service.clock.now += 60_000;
  const decision = { status, resolution: 'Seen and weighed' };

  const answer = await service.call('disputes.decide', id, decision);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ ...opened, id, ...decision, updatedAt: '2030-03-01T12:01:00.000Z' });

  service.clock.now += 60_000;
  const again = await service.call('disputes.decide', id, decision);
  expect(again).toMatchObject({ status: 200, body: answer.body });
  for (const other of [
    { ...decision, resolution: 'Otherwise' },
    { ...decision, status: status === 'won' ? 'lost' : 'won' },
  ]) {
    const refused = await service.call('disputes.decide', id, other);
    expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  }
  expect((await service.call('disputes.show', id)).body.record).toEqual(answer.body);
  expect((await listEvents(service)).map((event) => event.type)).toEqual([
    'dispute_opened',
    'dispute_decided',
  ]);
});

test('the audit trail has the key and the time of a decision', async () => {
  const service = await openService();
  const { id } = (await service.call('disputes.open', '', dispute)).body;
  await service.call('disputes.decide', id, { status: 'lost', resolution: 'No proof' });
  const trail = await service.storage.read((db) => db.selectFrom('disputeDecisions').selectAll().execute());
  expect(trail).toEqual([
    {
      storeId: service.storeId,
      disputeId: id,
      id: expect.any(String),
      status: 'lost',
      resolution: 'No proof',
      decidedBy: service.keyId,
      decidedAt: '2030-03-01T12:00:00.000Z',
    },
  ]);
});

test('of many decisions at once one takes effect', async () => {
  const service = await openService();
  const { id } = (await service.call('disputes.open', '', dispute)).body;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      service.call('disputes.decide', id, { status: 'won', resolution: `by ${index}` }),
    ),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(11).fill(409)]);
});

test('an absent dispute is not found', async () => {
  const service = await openService();
  const shown = await service.call('disputes.show', 'none');
  const decided = await service.call('disputes.decide', createId(), { status: 'won', resolution: 'x' });
  for (const answer of [shown, decided])
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('invalid fields of a dispute', async () => {
  const service = await openService();
  await expectFaults(service, 'disputes.open', [
    [{}, ['/idempotencyKey required', '/kind required', '/reason required']],
    [
      { kind: 'Payment', reason: '', idempotencyKey: '' },
      ['/idempotencyKey invalid_format', '/kind invalid_format', '/reason too_short'],
    ],
    [
      {
        ...dispute,
        reason: 'x'.repeat(4001),
        amount: 1,
        orderId: '7',
        buyerEmail: '@',
        deadlineAt: '2030-02-30T00:00:00Z',
      },
      [
        '/amount unknown_field',
        '/buyerEmail invalid_format',
        '/deadlineAt invalid_format',
        '/orderId invalid_format',
        '/reason too_long',
      ],
    ],
    [{ ...dispute, riskSignals: [] }, ['/riskSignals invalid_type']],
    [{ ...dispute, riskSignals: { ['x'.repeat(101)]: 1 } }, [`/riskSignals/${'x'.repeat(101)} invalid_name`]],
    [{ ...dispute, deadlineAt: '9999-12-31T23:30:00-01:00' }, ['/deadlineAt invalid_format']],
    [{ ...dispute, appealDeadlineAt: '0000-01-01T00:00:00+01:00' }, ['/appealDeadlineAt invalid_format']],
  ]);
});

test('a number that cannot be stored exactly is refused', async () => {
  const service = await openService();
  const open = (signals: string) =>
    service.call('disputes.open', '', undefined, {
      raw: `${JSON.stringify(dispute).slice(0, -1)},"riskSignals":${signals}}`,
    });
  for (const signals of ['{"a":9007199254740993}', '{"a":[{"b":-1e30}]}', '{"a":1e400}']) {
    expect(faults(await open(signals)), signals).toEqual(['/riskSignals/a too_big']);
  }
  const kept = { largest: 9007199254740991, share: 1e-7, list: [0.1, -2] };
  expect((await open(JSON.stringify(kept))).body.riskSignals).toEqual(kept);
});

test('invalid fields of a decision', async () => {
  const service = await openService();
  const { id } = (await service.call('disputes.open', '', dispute)).body;
  const cases: [object, string[]][] = [
    [{}, ['/resolution required', '/status required']],
    [{ status: 'open', resolution: 'x'.repeat(4001) }, ['/resolution too_long', '/status invalid_value']],
    [{ status: 'won', resolution: 'x', refund: true }, ['/refund unknown_field']],
  ];
  await expectFaults(service, 'disputes.decide', cases, id);
});
