import { expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { createBackup, restoreBackup } from '../../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { decideDispute, openDispute, showDispute } from '../../../src/contract/operations/disputes.ts';
import { addEndpoint } from '../../../src/contract/operations/notifications.ts';
import { appealReclaim } from '../../../src/contract/operations/reclaims.ts';
import { updateStore } from '../../../src/contract/operations/store.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { clientFor } from '../support.ts';

const id = '01A2C1F0-7d1e-7c3a-9b52-0f48197d60fe';
const otherId = '01a2c1f0-7d1e-7c3a-9b52-0f48197d60ff';
const parameters = { storeId: 's-1', disputeId: id, backupId: id, reclaimId: id };
const decision = { status: 'won', resolution: 'Delivered' };
const backup = { label: 'Nächtlich', sections: ['store', 'blog'], idempotencyKey: 'k-1' };
const post = { title: 'Spring sale', contentMd: 'Go' };
const dispute = { kind: 'payment', reason: 'Not delivered', idempotencyKey: 'k-2' };
const endpoint = { kind: 'discord', name: 'Team', url: 'https://discord.com/api/webhooks/1/x', events: [] };
const restore = { sections: ['blog'], idempotencyKey: 'k-3' };

type Case = readonly [Operation, object | null, unknown];

/** What a service answers with `response` each time. */
async function outcomeOf(operation: Operation, body: object | null, response: unknown) {
  await using server = await startFaultServer([answer(200, response)]);
  await using client = clientFor(server.url);
  const sent = body === null ? null : JSON.stringify(body);
  const outcome = await client.call(operation, { parameters, body: sent });
  return { outcome, requests: server.requests.length };
}

test.each<Case>([
  [decideDispute, decision, { id: otherId, status: 'won' }],
  [decideDispute, decision, { id, status: 'open' }],
  [showDispute, null, { record: { id: otherId, status: 'won' }, evidence: [] }],
  [createBackup, backup, { id: otherId, label: 'weekly', sections: ['store', 'blog'] }],
  [createBackup, backup, { id: otherId, label: '', sections: ['store', 'blog'] }],
  [createBackup, backup, { id: otherId, label: '…', sections: ['store', 'blog'] }],
  [createBackup, backup, { id: otherId, label: 'Nächtlich und mehr', sections: ['store', 'blog'] }],
  [createBackup, backup, { id: otherId, label: 'Nächtlich', sections: ['store'] }],
  [createBackup, backup, { id: otherId, label: 'Nächtlich', sections: ['store', 'settings'] }],
  [restoreBackup, restore, { backupId: otherId }],
  [createBlogPost, post, { id: otherId, title: 'Winter sale' }],
  [openDispute, dispute, { id: otherId, kind: 'refund', reason: 'Not delivered' }],
  [openDispute, dispute, { id: otherId, kind: 'payment', reason: 'Broken' }],
  [appealReclaim, { text: 'Ours' }, { reclaimId: otherId }],
  [addEndpoint, endpoint, { id: otherId, name: 'Another' }],
])('$id: a response to another request is no success (%#)', async (...values) => {
  const [operation] = values;
  const { outcome, requests } = await outcomeOf(...values);

  expect(outcome).toMatchObject({
    kind: 'unknown',
    status: 200,
    failure: {
      code: 'mismatched_response',
      message: expect.stringMatching(/^the response does not match the request: \S+ is .+ instead of /),
    },
  });
  expect(requests).toBe({ read: 4, keyed: 2, 'one-shot': 1, repeatable: 1 }[operation.class]);
});

test.each<Case>([
  [decideDispute, decision, {}],
  [decideDispute, decision, { id: null, status: null }],
  [decideDispute, decision, { id: 7, status: 8 }],
  [decideDispute, decision, { id: id.toLowerCase(), status: 'won' }],
  [decideDispute, decision, { id: id.toUpperCase(), status: 'won', resolution: 'Something else' }],
  [showDispute, null, { record: { id: id.toLowerCase() }, evidence: [] }],
  [showDispute, null, { record: null }],
  [createBackup, backup, { label: ' Na\u0308chtlich\n', sections: ['blog', 'store', 'store'] }],
  [createBackup, backup, { label: 'Nächt', sections: [{ name: 'store' }] }],
  [createBackup, backup, { label: 'Nächt…', sections: null }],
  [createBackup, backup, { label: 'Nächt ...', sections: 'store' }],
  [createBackup, { ...backup, label: '' }, { label: '' }],
  [restoreBackup, restore, { restored: { blog: 12 }, sections: ['store'] }],
  [createBlogPost, post, { title: 'Spring sale', slug: 'spring-sale' }],
  [openDispute, dispute, { kind: 'payment', reason: 'Not deliv' }],
  [addEndpoint, endpoint, { name: 'Team', url: 'masked', events: ['feedback_digest'] }],
  [updateStore, { name: 'Shop' }, { id: otherId, name: 'Another' }],
])('$id: a response that fits, or says nothing, is a success (%#)', async (...values) => {
  expect(await outcomeOf(...values)).toMatchObject({
    outcome: { kind: 'applied', attempts: 1 },
    requests: 1,
  });
});

test('the second response to the same key fits: applied', async () => {
  const right = { label: backup.label, sections: backup.sections };
  await using server = await startFaultServer([
    answer(200, { ...right, label: 'weekly' }),
    answer(200, right),
  ]);
  await using client = clientFor(server.url);

  const outcome = await client.call(createBackup, { parameters, body: JSON.stringify(backup) });

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 2 });
  expect(server.requests[0]?.body).toBe(server.requests[1]?.body);
});

test('what a response shows in the message is cut short', async () => {
  const { outcome } = await outcomeOf(createBlogPost, post, { title: 'x'.repeat(10_000) });

  expect(outcome).toMatchObject({
    failure: { message: expect.stringMatching(/x… instead of "Spring sale"$/) },
  });
});

// Each of these took seconds or minutes, in which no timeout and no signal was heard.
test.each([
  ['spaces within', `x${' '.repeat(200_000)}y`],
  ['spaces before an ellipsis', `x${' '.repeat(200_000)}y...`],
  ['marks in the wrong order', `x${'\u0301\u0323'.repeat(400_000)}`],
])('a text of a hostile response is compared at once: %s', async (_, label) => {
  const { outcome } = await outcomeOf(createBackup, backup, { id: otherId, label });

  expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'mismatched_response' } });
});
