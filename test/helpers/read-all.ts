import type { Readable } from 'node:stream';

/** What was written to a stream until now. One `read()` of Node 26 gives one chunk. */
export function readAll(stream: Readable): string {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  return text;
}
