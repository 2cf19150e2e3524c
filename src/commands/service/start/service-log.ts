export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Writes one JSON line per record, with the time and its level, `info` by default. Drops those below `threshold`. Each of the
 * `observers` gets every record.
 */
export function createServiceLog(
  stderr: { write(text: string): unknown },
  threshold: LogLevel,
  observers: readonly ((record: object) => void)[],
): (record: object) => void {
  let lines: string[] = [];
  return (record) => {
    for (const observe of observers) observe(record);
    const line = { time: new Date().toISOString(), level: 'info' as LogLevel, ...record };
    if (logLevels.indexOf(line.level) > logLevels.indexOf(threshold)) return;
    // All lines of one event loop turn at once: under load a write costs as much as handling a request.
    if (lines.push(JSON.stringify(line)) > 1) return;
    setImmediate(() => {
      stderr.write(`${lines.join('\n')}\n`);
      lines = [];
    });
  };
}
