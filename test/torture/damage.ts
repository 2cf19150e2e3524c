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
  const lines = bytes.toString().trimEnd().split('\n');
  const end = how === 'flip' ? flipEnd(lines) : cutEnd(lines, name);
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

/** Bytes of which each is missed: all before the last closing line, or header and first records, which are older than its name. */
function flipEnd(lines: readonly string[]): number | null {
  const closing = lines.findLastIndex((line) => line.includes('"closed":{') && line.endsWith('"}'));
  return lines.length < 2 ? null : firstLines(lines, closing === -1 ? 2 : closing);
}

/**
 * Bytes of which a cut anywhere is missed. The closing line may be lost with the power. Of a closed log, the lines up to the
 * first outcome after which nothing is in doubt; of another, header and first records.
 */
function cutEnd(lines: readonly string[], name: string): number | null {
  if (lines.length < 2) return null;
  if (/\.(open|pending)\.jsonl$/.test(name)) return firstLines(lines, 2);
  const inDoubt = new Set<string>();
  for (const [index, line] of lines.entries()) {
    for (const { id, state, supersededBy } of patchesIn(line)) {
      if ((state !== undefined && !['sent', 'unknown'].includes(state)) || supersededBy) inDoubt.delete(id);
      else if (state !== undefined) inDoubt.add(id);
    }
    if (index > 0 && inDoubt.size === 0) return firstLines(lines, index + 1);
  }
  return firstLines(lines, 2);
}

/** The records in a line; none in one that is broken. */
function patchesIn(line: string): readonly { id: string; state?: string; supersededBy?: string | null }[] {
  try {
    return JSON.parse(line).records ?? [];
  } catch {
    return [];
  }
}

function firstLines(lines: readonly string[], count: number): number {
  return Buffer.byteLength(lines.slice(0, count).join('\n'));
}
