import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from './client/disk.ts';
import type { Step } from './steps.ts';

/**
 * Damages a log with this operation that is whole in the folder. Returns its name, or null where there is none, or where what
 * is broken could be the end of a killed process, which is no damage.
 */
export function damageLog(
  folder: string,
  operation: string,
  { how, file, at, bit }: Extract<Step, { do: 'damage' }>,
): string | null {
  const logs = filesIn(folder).filter(
    (name) => name.endsWith('.jsonl') && name.includes(`-${operation}.`) && !name.includes('damaged'),
  );
  const name = logs.sort()[Math.floor(file * logs.length)];
  if (name === undefined) return null;
  const bytes = readFileSync(name);
  const end = provenEnd(bytes.toString(), name);
  if (end === null) return null;
  if (how === 'flip') {
    const place = Math.floor(at * end);
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
    writeFileSync(name, bytes);
  } else writeFileSync(name, bytes.subarray(0, cutAt(bytes, end, how, at)));
  return path.basename(name);
}

function cutAt(bytes: Buffer, end: number, how: 'cut' | 'cut-lines' | 'empty', at: number): number {
  if (how === 'empty') return 0;
  const place = Math.floor(at * end);
  return how === 'cut' ? place : bytes.lastIndexOf(0x0a, place) + 1;
}

/**
 * Bytes of a log that have to be there: all of a closed one, up to its first closing line of one with an open change, and
 * header and first records of one that a process may yet be writing: those it had before its name.
 */
function provenEnd(text: string, name: string): number | null {
  const lines = text.trimEnd().split('\n');
  if (name.endsWith('.open.jsonl')) return lines.length < 2 ? null : firstLines(lines, 2);
  const isClosing = (line: string) => line.includes('"closed":{');
  const closing = name.endsWith('.pending.jsonl')
    ? lines.findIndex(isClosing)
    : lines.findLastIndex(isClosing);
  return closing === -1 ? null : firstLines(lines, closing + 1);
}

function firstLines(lines: readonly string[], count: number): number {
  return Buffer.byteLength(lines.slice(0, count).join('\n'));
}
