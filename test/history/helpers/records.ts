import { blankRecord, type LogHeader } from '../../../src/history/journal/log-lines.ts';
import type { HistoryRecord } from '../../../src/history/record/history-record.ts';

/** A record as a log has it, applied unless `change` says otherwise. */
export function recordOf(
  operation: string,
  number: number,
  change: Partial<HistoryRecord> = {},
): HistoryRecord {
  const createdAt = '2026-11-21T05:30:00.000Z';
  const id = String(number).padStart(6, '0');
  const header: LogHeader = {
    format: 1,
    number,
    id,
    baseUrl: 'https://api.example.com',
    storeId: 'store-1',
    profile: 'main',
    operation,
    createdAt,
  };
  return { ...blankRecord(header, id, createdAt), state: 'applied', ...change };
}
