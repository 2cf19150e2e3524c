/** Lines of a batch's log by the ids of their records, oldest first; see batch-log.ts. */
export type LoggedLines = Map<string, string[]>;

/** Those of a log's text that are lines of a record, whole or not. By itself here: completion loads no more of the history. */
export function linesById(text: string): LoggedLines {
  const lines: LoggedLines = new Map();
  for (const line of text.split('\n')) {
    const [, id] = /^\{"format":\d+,"id":"([\w-]+)"/.exec(line) ?? [];
    if (id === undefined) continue;
    const earlier = lines.get(id);
    if (earlier === undefined) lines.set(id, [line]);
    else earlier.push(line);
  }
  return lines;
}

/** The record that its lines make, unchecked; null without a whole line. A line that was cut off counts as never written. */
export function mergeLines(lines: readonly string[]): unknown {
  const whole = lines.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  return whole.length === 0 ? null : Object.assign({}, ...whole);
}
