import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { normalizeBaseUrl } from '../../src/client/base-url.ts';
import { findOperation } from '../../src/contract/operations/operations.ts';
import { openHistory, type StoreHistory } from '../../src/history/history.ts';
import { parseLogName } from '../../src/history/journal/log-name.ts';
import { recordIn } from '../../src/history/journal/log-writer.ts';
import { beginLog } from '../../src/history/journal/open-log.ts';
import type {
  HistoryRecord,
  RecordedResponse,
  RecordState,
} from '../../src/history/record/history-record.ts';
import { intentOf } from '../../src/history/record/intent.ts';
import { storeFolder } from '../../src/history/store-folder.ts';
import type { Machine } from './cli.ts';
import { cutAt, lineOf, readWrittenLog } from './written-log.ts';

interface Place {
  /** Of the service. */
  readonly origin: string;
  readonly storeId: string;
}

/** The history of a store on a machine, as a command finds it. */
export function historyOn(
  { stateDirectory }: Pick<Machine, 'stateDirectory'>,
  { origin, storeId }: Place,
  now?: () => number,
): StoreHistory {
  const store = { baseUrl: normalizeBaseUrl(origin), storeId };
  const folder = storeFolder(path.join(stateDirectory, 'history'), store);
  return openHistory({ folder, store, profile: 'main', process, ...(now && { now }) });
}

interface Seed {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly state?: RecordState;
  readonly response?: Partial<RecordedResponse>;
  readonly hoursAgo?: number;
}

/** Records a change as a command that has ended left it, its outcome reported. */
export async function seedChange(
  machine: Pick<Machine, 'stateDirectory'>,
  place: Place,
  { operation: id, body, parameters = {}, state = 'applied', response = {}, hoursAgo = 0 }: Seed,
): Promise<HistoryRecord> {
  const now = () => Date.now() - hoursAgo * 3_600_000;
  const { journal } = historyOn(machine, place, now);
  const operation = findOperation(id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const intent = intentOf({ operation, parameters, body }, place.storeId);
  const writer = await beginLog(journal, { operation: id, intents: [intent], isBatch: false });
  const recorded: RecordedResponse = {
    status: 200,
    body: null,
    problem: null,
    requestId: null,
    etag: null,
    receivedAt: new Date(now()).toISOString(),
    replayed: false,
    retryAt: null,
    settledByReading: false,
    ...response,
  };
  const isAnswered = state === 'applied' || state === 'rejected';
  if (state !== 'sent')
    await writer.change([{ id: writer.id, state, ...(isAnswered && { response: recorded }) }]);
  await writer.close();
  return recordIn(writer.records, writer.id);
}

/** The files of the logs on a machine, of all stores, oldest first. */
export function logFiles({ stateDirectory }: Pick<Machine, 'stateDirectory'>): string[] {
  const names = readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => parseLogName(path.basename(name)) !== null)
    .sort((one, other) => path.basename(one).localeCompare(path.basename(other)))
    .map((name) => path.join(stateDirectory, name));
}

/** Leaves the newest log as a process that is killed before it has reported the outcome; returns its file. */
export function leaveUnreported(machine: Pick<Machine, 'stateDirectory'>): string {
  const file = logFiles(machine).at(-1) ?? '';
  const unreported = file.replace(/(?:\.pending)?\.jsonl$/, '.open.jsonl');
  const log = readWrittenLog(file);
  writeFileSync(file, cutAt(log, lineOf(log, 'closing', -1).start));
  renameSync(file, unreported);
  return unreported;
}
