/** `20261121-053012-7k3f9a`: time of creation in UTC, to the second, and six random characters. */
export const recordIdPattern = /^\d{8}-\d{6}-[0-9a-z]{6}$/;

/** The part of a record that lists and completion need. In a file that was not checked, text that is missing is empty. */
export interface RecordOutline {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly origin: string;
  readonly storeId: string;
  readonly operation: string;
  /** Path as it stands on the wire. */
  readonly path: string;
  readonly state: string;
  /** JSON of the request. Completion does not need it. */
  readonly body?: string | null;
  /** Of a restore: id of the backup that undoes it. */
  readonly safetyBackupId?: string | null;
  readonly answer: {
    readonly status: number;
    readonly body: string | null;
    /** ISO 8601. */
    readonly receivedAt: string;
  } | null;
}

/** True while there is something left to do or to find out: not sent yet, or no answer that proves what became of it. */
export function isOpen({ state }: Pick<RecordOutline, 'state'>): boolean {
  return state === 'prepared' || state === 'sent' || state === 'unknown';
}
