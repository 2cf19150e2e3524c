import { parseJson } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';
import { findOperation } from '../../contract/operations.ts';
import type { History, SendOptions } from '../history.ts';
import type { HistoryRecord } from '../journal/history-record.ts';
import { type OperationRules, rulesOf } from '../operation-rules.ts';
import { valueAt } from './former.ts';

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
  if (typeof valueAt(parseJson(record.body), [proof.field]) !== 'string') return false;
  const hasRefused = ({ response }: HistoryRecord) => response?.problem?.code === proof.code;
  if (history.readForChange(record.operation).some(hasRefused)) return true;
  const fact = history.facts.get(operation.id) ?? describesUnique(operation, proof, options);
  history.facts.set(operation.id, fact);
  return fact;
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
  const media = ['paths', operation.path, operation.method.toLowerCase(), 'requestBody', 'content'];
  const mark = ['application/json', 'schema', 'properties', proof.field, proof.documentedAs];
  return valueAt(read.body, [...media, ...mark]) === true;
}
