import { joined, line, type Printable } from '../../../cli/core/sanitize.ts';
import type { Palette } from '../../../cli/output/style.ts';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What is logged: a request, a delivery attempt, or a message. */
interface LogRecord extends Readonly<Record<string, unknown>> {
  /** ISO 8601. */
  readonly time: string;
  readonly level: LogLevel;
}

interface LogOutput {
  write(text: string): unknown;
}

/** A line of the log. */
export type LogFormat = (record: LogRecord) => string;

/** For programs: the record as JSON. */
export const asJson: LogFormat = (record) => JSON.stringify(record);

/**
 * Writes one line per record, with the time and its level, `info` by default. Drops those below `threshold`. Each of the
 * `observers` gets every record.
 */
export function createServiceLog(
  output: LogOutput,
  threshold: LogLevel,
  observers: readonly ((record: object) => void)[],
  format: LogFormat = asJson,
): (record: object) => void {
  let lines: string[] = [];
  return (record) => {
    for (const observe of observers) observe(record);
    const whole = { time: new Date().toISOString(), level: 'info' as LogLevel, ...record };
    if (logLevels.indexOf(whole.level) > logLevels.indexOf(threshold)) return;
    // All lines of one event loop turn at once: under load a write costs as much as handling a request.
    if (lines.push(format(whole)) > 1) return;
    setImmediate(() => {
      output.write(`${lines.join('\n')}\n`);
      lines = [];
    });
  };
}

/** What a person who watches the log has no use for: it is in the JSON, to be searched. */
const onlyForPrograms: readonly string[] = ['keyId', 'storeId', 'store', 'clientAddress', 'traceparent'];

/** For people in a terminal: `09:12:04 POST /v1/stores/{storeId}/blog/posts 201 3.1 ms`. */
export function forPeople(color: Palette): LogFormat {
  return ({ time, level, ...record }) => {
    const { message, method, route, status, ms, delivery, outcome, requestId, ...others } = record;
    const [clock = ''] = new Date(time).toTimeString().split(' ');
    const isFailure = level === 'error' || Number(status) >= 500;
    const mark = isFailure ? color.red : level === 'warn' || Number(status) >= 400 ? color.yellow : null;
    const shown = (value: unknown) =>
      line`${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
    const main: Printable[] = [
      ...(['error', 'warn'].includes(level) ? [line`${level}:`] : []),
      ...[message, method, route, status].filter(isSet).map(shown),
      ...(isSet(delivery) ? [line`delivery ${String(delivery)} ${String(outcome ?? 'failed')}`] : []),
    ];
    const more = Object.entries({ ...others, ...(isFailure && { requestId }) })
      .filter(([name, value]) => isSet(value) && !onlyForPrograms.includes(name))
      .map(([name, value]) => joined([line`${name}=`, shown(value)], ''));
    const marked = mark === null ? joined(main, ' ') : mark(joined(main, ' '));
    const took = isSet(ms) ? [line`${String(ms)} ms`] : [];
    return joined([color.dim(line`${clock}`), marked, ...took, ...more.map((one) => color.dim(one))], ' ');
  };
}

const isSet = (value: unknown) => value !== undefined && value !== null;
