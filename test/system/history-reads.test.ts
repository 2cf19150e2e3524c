import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProgramMachine, type ProgramMachine, programLine, shellWord } from '../helpers/program.ts';

/** How often a command lists the history's folder, and how often it opens each log to read it. */
async function traceReads(machine: ProgramMachine, args: readonly string[]) {
  const trace = path.join(machine.folder, 'trace');
  const words = ['--demo', ...args, '--json'].map(shellWord).join(' ');
  const traced = `strace -f -qq -e trace=openat -o ${shellWord(trace)} ${programLine} ${words}`;
  const { exitCode, stdout, stderr } = await machine.shell(traced);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const opened = readFileSync(trace, 'utf8').split('\n');
  const names = opened
    .filter((call) => /O_RDONLY/.test(call) && !/O_DIRECTORY/.test(call))
    .flatMap((call) => /\/(\d{6}-[^/"]*\.jsonl)"/.exec(call)?.[1] ?? []);
  const count = (name: string) => names.filter((other) => other === name).length;
  return {
    result: JSON.parse(stdout),
    listings: opened.filter((call) => /\/history\/[0-9a-f]{16}", [A-Z_|]*O_DIRECTORY/.test(call)).length,
    opens: Object.fromEntries(names.map((name) => [name.split('-').slice(3).join('-'), count(name)])),
  };
}

test('a backup lists the history once, and a restore opens each log once', { timeout: 60_000 }, async () => {
  const machine = newProgramMachine();
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog'];
  expect(await traceReads(machine, create)).toMatchObject({ listings: 1, opens: {} });
  const { result, listings, opens } = await traceReads(machine, create);
  expect({ listings, opens }).toEqual({ listings: 1, opens: { 'backup.create.jsonl': 1 } });

  const restore = ['backup', 'restore', result.id, '--sections', 'store', '--confirm', result.id];
  const restored = await traceReads(machine, restore);
  expect(restored.listings).toBeGreaterThan(0);
  expect(restored.listings).toBeLessThanOrEqual(3);
  expect(restored.opens).toEqual({ 'backup.create.jsonl': 1 });
});

test('decisions from a file list the history for the plan, under the lock, and to number their log', {
  timeout: 60_000,
}, async () => {
  const machine = newProgramMachine();
  const rows = ['disputeId,status,resolution'];
  for (const reason of ['one', 'two', 'three', 'four', 'five']) {
    const words = ['disputes', 'open', '--kind', 'payment', '--reason', reason];
    const { stdout } = await machine.run(['--demo', ...words, '--json']);
    rows.push(`${JSON.parse(stdout).id},won,Delivered`);
  }
  const file = path.join(machine.folder, 'decisions.csv');
  writeFileSync(file, rows.join('\n'));

  const { result, listings, opens } = await traceReads(machine, [
    'disputes',
    'decide',
    '--from',
    file,
    '--confirm',
    '5',
  ]);

  expect(result).toHaveLength(5);
  expect(listings).toBeGreaterThan(0);
  expect(listings).toBeLessThanOrEqual(3);
  expect(Object.values(opens).every((count) => count === 1)).toBe(true);
});
