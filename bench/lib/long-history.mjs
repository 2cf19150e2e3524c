import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const dayMs = 86_400_000;

/**
 * Puts logs with many records before what is in the only folder of histories. The first log of each operation in it, of one change
 * that was applied, is the model of theirs: in turn, so that each operation has as many. The last `recent` logs are of yesterday, the
 * others of a year ago.
 */
export function addLongHistory(histories, { logs, recordsEach, recent }) {
  const folder = path.join(histories, readdirSync(histories)[0]);
  const names = readdirSync(folder).filter((name) => /^\d.*\.jsonl$/.test(name));
  const models = new Map();
  for (const name of names) {
    const operation = name.split('-').slice(3).join('-');
    const lines = readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n');
    if (!models.has(operation))
      models.set(
        operation,
        lines.map((line) => JSON.parse(line)),
      );
  }
  for (const name of names) rmSync(path.join(folder, name));
  const kinds = [...models];
  for (let number = 1; number <= logs; number += 1) {
    const [operation, model] = kinds[number % kinds.length];
    const at = new Date(Date.now() - (number > logs - recent ? 1 : 365) * dayMs).toISOString();
    const id = [...number.toString(32).padStart(6, '0')]
      .map((digit) => letters[Number.parseInt(digit, 32)])
      .join('');
    const day = at.slice(0, 10).replaceAll('-', '');
    const name = `${String(number).padStart(6, '0')}-${day}-${id}-${operation}`;
    const text = model.map((line) => serialize(copyLine(line, { number, id, at, recordsEach }))).join('');
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  }
}

function copyLine({ checksum: _, ...line }, { number, id, at, recordsEach }) {
  if ('format' in line) return { ...line, number, id, createdAt: at };
  if ('closed' in line) return { ...line, closed: { records: recordsEach, open: [] }, at };
  const records = Array.from({ length: recordsEach }, (_, index) => {
    const [{ createdAt, ...record }] = line.records;
    return { ...record, ...(createdAt && { createdAt: at, sentAt: at }), id: `${id}.${index + 1}` };
  });
  return { ...line, records, at };
}

function serialize(line) {
  const content = JSON.stringify(line).slice(0, -1);
  return `${content},"checksum":"${createHash('sha256').update(content).digest('hex')}"}\n`;
}
