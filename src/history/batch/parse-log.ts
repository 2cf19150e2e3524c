import { parseJson } from '../../base/json.ts';

/** Lines of a batch's log by the ids of their records, oldest first; see log-file.ts. */
export type LoggedLines = Map<string, string[]>;

/**
 * The lines that are about a record, whole or not. In a file of its own, because completion loads nothing else of the
 * history.
 */
export function linesById(lines: readonly string[]): LoggedLines {
  const byId: LoggedLines = new Map();
  for (const line of lines) {
    const [, id] = /^\{"format":\d+,"id":"([\w-]+)"/.exec(line) ?? [];
    if (id === undefined) continue;
    const earlier = byId.get(id);
    if (earlier === undefined) byId.set(id, [line]);
    else earlier.push(line);
  }
  return byId;
}

/** The record that its lines make, unchecked; null without a whole line. */
export function mergeLines(lines: readonly string[]): unknown {
  const whole = lines.map(parseJson).filter((line) => line !== undefined);
  return whole.length === 0 ? null : Object.assign({}, ...whole);
}
