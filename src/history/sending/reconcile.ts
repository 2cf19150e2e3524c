import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, isObject } from '../../base/json.ts';
import type { Applied } from '../../client/outcome.ts';
import { decideDispute, showDispute } from '../../contract/operations/disputes.ts';
import { saveSettings, showSettings } from '../../contract/operations/settings.ts';
import type { SendOptions } from '../history.ts';
import type { HistoryRecord } from '../records/record.ts';
import { callInputOf } from './call-input.ts';
import { provesDecision, wantedDecision } from './decision.ts';

/** What a read shows about a write in doubt. `note` is what is known besides, for people. */
type Finding =
  | { readonly verdict: 'settled'; readonly outcome: Applied; readonly note: string }
  /** `untouched`: it reads as before, which may still change while a request is on its way. */
  | { readonly verdict: 'untouched' | 'unclear'; readonly note: string | null };

const unclear: Finding = { verdict: 'unclear', note: null };

/**
 * Reads what the operation should have changed. Only a read that shows the change ends the doubt (see `keepDoubt`):
 * anything else, a failed read included, leaves it unknown.
 */
export async function settleByReading(options: SendOptions, record: HistoryRecord): Promise<Finding> {
  if (record.operation === decideDispute.id) return settleDecision(options, record);
  if (record.operation === saveSettings.id) return settleSettings(options, record);
  return unclear;
}

async function settleDecision(options: SendOptions, record: HistoryRecord): Promise<Finding> {
  const wanted = wantedDecision(record);
  const look = async () => {
    const read = await options.client.send(
      { method: 'GET', path: wanted.path, body: null, class: 'read', operation: showDispute },
      callInputOf(options, record),
    );
    if (read.kind !== 'applied') return null;
    const dispute = asObject(asObject(read.body).record);
    return typeof dispute.status === 'string' ? { read, dispute } : null;
  };
  let found = await look();
  if (found?.dispute.status === 'open') {
    await pause(options);
    found = await look();
  }
  if (found === null) return unclear;
  const { read, dispute } = found;
  if (provesDecision(wanted, dispute)) {
    return {
      verdict: 'settled',
      outcome: appliedBy(read, dispute),
      note: 'The response was lost, but the dispute shows the decision.',
    };
  }
  if (dispute.status === 'open') {
    const note = `The dispute is still open. The request may still be in progress: run \`storectl resume ${record.id}\` again in a few minutes. If it is still open then, run \`storectl resume ${record.id} --mark not-applied\`, and decide it again.`;
    return { verdict: 'untouched', note };
  }
  const note = `The dispute has a different decision: ${String(dispute.status)}.`;
  return { verdict: 'unclear', note };
}

async function settleSettings(options: SendOptions, record: HistoryRecord): Promise<Finding> {
  const read = await options.client.send(
    { method: 'GET', path: record.path, body: null, class: 'read', operation: showSettings },
    callInputOf(options, record),
  );
  if (read.kind !== 'applied') return unclear;
  if (includes(read.body, JSON.parse(record.body ?? 'null'))) {
    const note = 'The response was lost, but the settings match what was sent.';
    return { verdict: 'settled', outcome: read, note };
  }
  // The former document has the time of its saving, so it matches only if it was not saved since.
  if (includes(read.body, JSON.parse(record.former ?? 'null'))) {
    return { verdict: 'untouched', note: 'The settings are still unchanged.' };
  }
  const note = 'The settings do not match what was sent. Check them before you save again.';
  return { verdict: 'unclear', note };
}

/** The read's answer in the shape of the write's own: the dispute without its evidence. */
function appliedBy(read: Applied, dispute: Record<string, unknown>): Applied {
  return { ...read, body: dispute, text: JSON.stringify(dispute), drift: [] };
}

/** Whether everything in `part` is in `whole`; null and missing are the same, arrays are compared as a whole. */
function includes(whole: unknown, part: unknown): boolean {
  if (part === null) return whole === null || whole === undefined;
  if (typeof part !== 'object') return whole === part;
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return false;
    return part.every((value, index) => includes(whole[index], value));
  }
  return isObject(whole) && Object.entries(part).every(([name, value]) => includes(whole[name], value));
}

async function pause({ settlePauseMs = 2_000, signal }: SendOptions): Promise<void> {
  try {
    await sleep(settlePauseMs, undefined, signal && { signal });
  } catch {
    // The reads that follow end by the same signal.
  }
}
