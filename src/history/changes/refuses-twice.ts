import { asObject, parseJson } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';
import { findOperation } from '../../contract/operations.ts';
import type { History, SendOptions } from '../history.ts';
import type { HistoryRecord } from '../journal/history-record.ts';
import { type OperationRules, rulesOf } from '../operation-rules.ts';

/**
 * Whether the same request can be sent again without doing it twice: it has the field that the service takes only once, and
 * the service says so in its openapi.json, or has refused one of this store before. Null if the service does not answer.
 */
export async function refusesTwice(
  history: History,
  record: HistoryRecord,
  options: SendOptions,
): Promise<boolean | null> {
  const { proofByRefusal: proof } = rulesOf(record.operation);
  const operation = findOperation(record.operation);
  if (proof === undefined || operation === undefined) return false;
  if (typeof asObject(parseJson(record.body))[proof.field] !== 'string') return false;
  const hasRefused = ({ response }: HistoryRecord) => response?.problem?.code === proof.code;
  if (history.readForChange(record.operation).some(hasRefused)) return true;
  return history.remember(`${proof.documentedAs} ${operation.id}`, () =>
    describesUnique(operation, proof, options),
  );
}

async function describesUnique(
  operation: Operation,
  proof: NonNullable<OperationRules['proofByRefusal']>,
  { client, signal, timeoutMs }: SendOptions,
): Promise<boolean | null> {
  const read = await client.send(
    { method: 'GET', path: '/openapi.json', body: null, class: 'read' },
    { signal, timeoutMs },
  );
  if (read.kind === 'not_sent' || (read.kind === 'unknown' && read.status === null)) return null;
  if (read.kind !== 'applied') return false;
  const place = [
    'paths',
    operation.path,
    operation.method.toLowerCase(),
    'requestBody',
    'content',
    'application/json',
  ];
  const field = ['schema', 'properties', proof.field, proof.documentedAs];
  let value: unknown = read.body;
  for (const name of [...place, ...field]) value = asObject(value)[name];
  return value === true;
}
