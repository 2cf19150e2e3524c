export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Writes one JSON line per record, with the time and its level, `info` by default. Drops those below `threshold`. */
export function createServiceLog(
  write: (text: string) => void,
  threshold: LogLevel,
): (record: object) => void {
  let lines: string[] = [];
  return (record) => {
    const line = { time: new Date().toISOString(), level: 'info' as LogLevel, ...record };
    if (logLevels.indexOf(line.level) > logLevels.indexOf(threshold)) return;
    // All lines of one event loop turn at once: under load a write costs as much as handling a request.
    if (lines.push(JSON.stringify(line)) > 1) return;
    setImmediate(() => {
      const text = lines.join('\n');
      lines = [];
      write(text);
    });
  };
}
