import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const oldDay = '2026-01-01';

/** Adds runs of a year ago before the only run in a folder of histories: as many copies of its log, each line as `change` makes it. */
export function addOldRuns(histories, count, change = (line) => line) {
  const folder = path.join(histories, readdirSync(histories)[0]);
  const [name] = readdirSync(folder).filter((found) => found.endsWith('.jsonl'));
  const [, number, , id, operation] = /^(\d+)-(\d+)-(\w+)-(.+)\.jsonl$/.exec(name) ?? [];
  if (operation === undefined) throw new Error(`${name} is not the name of a closed log`);
  const lines = readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n');
  const copy = (newNumber, newId, day) =>
    lines
      .map((line) => {
        const content = change(line, newNumber)
          .replace(/,"checksum":"\w+"\}$/, '')
          .replaceAll(id, newId)
          .replace(`"number":${Number(number)}`, `"number":${newNumber}`)
          .replaceAll(/20\d\d-\d\d-\d\d(?=T)/g, day);
        return `${content},"checksum":"${createHash('sha256').update(content).digest('hex')}"}\n`;
      })
      .join('');
  const nameOf = (newNumber, newId, day) =>
    `${String(newNumber).padStart(6, '0')}-${day.replaceAll('-', '')}-${newId}-${operation}.jsonl`;
  const add = (newNumber, newId, day) =>
    writeFileSync(path.join(folder, nameOf(newNumber, newId, day)), copy(newNumber, newId, day), {
      mode: 0o600,
    });
  for (let run = 1; run <= count; run += 1) {
    const digits = [...run.toString(32).padStart(6, '0')].map((digit) => letters[Number.parseInt(digit, 32)]);
    add(run, digits.join(''), oldDay);
  }
  const today = new Date().toISOString().slice(0, 10);
  add(count + 1, id, today);
  rmSync(path.join(folder, name));
}
