import { expect, test } from 'vitest';
import { loadCommands } from '../../scripts/command-definitions.ts';
import { programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';
import { leavesOf, makeWorld, rows } from './every-command.ts';

/** An editor asks, and a raw request is for those who know it. */
const withoutQuestion = ['settings edit', 'api'];

/** What these need besides their words, because the service has no database of its own here. */
const isOfOperator = (name: string) => name.startsWith('service ');

test('in a terminal, every command asks for what is missing, and Ctrl-C leaves it with exit 130', async () => {
  const { machine, service } = await makeWorld();
  const terminal = await openTerminal(machine.folder, { ...machine.env, SHELL: '' }, { columns: 80 });
  const needing = leavesOf(await loadCommands())
    .map(({ path }) => path)
    .filter((name) => rows[name]?.[0] === 3 && !withoutQuestion.includes(name));
  expect(needing.length).toBeGreaterThan(25);
  // They need something to choose from, and a change that can be taken back, or what is asked for is a confirmation.
  await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);
  await machine.run(['store', 'update', '--name', 'Outlet']);
  for (const name of needing) {
    const database = isOfOperator(name) ? ` --database '${service.databaseFile}'` : '';
    terminal.type(`clear; ${programLine} ${name}${database}; echo "[${name}] $?"`);
    await terminal.pressAt(/^\? \S/m, 'C-c');
    const screen = await terminal.shows(new RegExp(`^\\[${name}\\] \\d+$`, 'm'));
    expect(screen, name).toMatch(new RegExp(`^\\[${name}\\] 130$`, 'm'));
  }
}, 300_000);

test('where only the output goes elsewhere, the hint says so', async () => {
  const { machine } = await makeWorld();
  const terminal = await openTerminal(machine.folder, machine.env, { columns: 120 });
  terminal.type(`${programLine} backup create --label x | cat; echo done`);
  expect(await terminal.shows(/^done$/m)).toContain(
    'pass --sections A,B, or run the command without redirecting its output to be prompted',
  );
});

test.each([
  ['service evidence add', ['--store', '--dispute', '--kind', '--label']],
  ['service reclaims add', ['--store', '--subdomain', '--reason']],
  ['service emit', ['--event', '--store']],
  ['service backups remove', ['<backupId>', '--confirm']],
  ['profile set', ['<name>', '--base-url']],
  ['profile remove', ['<name>', '--confirm']],
  ['notify add-endpoint', ['--name', '--url', '--events']],
  ['disputes decide', ['<disputeId>', '--status', '--resolution', '--confirm']],
])('without a terminal, %s names all that is missing at once: exit 3', async (name, flags) => {
  const { machine } = await makeWorld();
  const { exitCode, stderr } = await machine.run([...name.split(' '), '--json']);
  expect(exitCode).toBe(3);
  const { fields } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
  expect(fields.map(({ flag }: { flag: string }) => flag).sort()).toEqual([...flags].sort());
});
