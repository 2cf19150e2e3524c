import type { Intent, RecordChange, RecordedResponse } from '../../../src/history/record/history-record.ts';

export const store = { baseUrl: 'https://api.example.com', storeId: '4be5a3c0-0000-4000-8000-000000000001' };

export const intent: Intent = {
  operation: 'backup.create',
  class: 'keyed',
  method: 'POST',
  parameters: {},
  path: '/stores/1/backups',
  requestTarget: null,
  ifMatch: null,
  body: '{"label":"nächtlich","idempotencyKey":"K"}',
  fingerprint: 'f'.repeat(64),
  idempotencyKey: 'K',
  replaced: null,
  safetyBackupId: null,
  undoes: null,
  safetyBackupFor: null,
};

export function post(title: string): Intent {
  return {
    ...intent,
    operation: 'blog.create',
    class: 'one-shot',
    body: JSON.stringify({ title }),
    idempotencyKey: null,
  };
}

export const response: RecordedResponse = {
  status: 201,
  body: '{"id":"made-1"}',
  problem: null,
  requestId: 'req-1',
  etag: null,
  receivedAt: '2026-11-23T12:00:01.000Z',
  replayed: false,
  retryAt: null,
  settledByReading: false,
};

export const applied = (id: string): RecordChange => ({ id, state: 'applied', response, failure: null });
export const unknown = (id: string): RecordChange => ({
  id,
  state: 'unknown',
  failure: { code: 'connection_lost', message: 'reset' },
});
