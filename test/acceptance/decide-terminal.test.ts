import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { otherUser } from '../helpers/bulk.ts';
import { makeEditor } from '../helpers/editor.ts';
import { newProgramMachine, type ProgramMachine, programLine } from '../helpers/program.ts';
import { setScene } from '../helpers/scene.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';
import { typed } from '../helpers/typed.ts';

/** Opens a dispute and answers its id. */
async function open(machine: ProgramMachine, reason: string, ...flags: string[]): Promise<string> {
  return (await machine.run([...flags, 'disputes', 'open', '--reason', reason, '-q'])).stdout.trim();
}

/** Types the id that the prompt asks for. */
async function confirm(terminal: Terminal) {
  const screen = await terminal.shows(/Type [\da-f-]+ to confirm:$/);
  const asked = /Type ([\da-f-]+) to confirm:$/.exec(screen)?.[1] ?? '';
  terminal.type(asked);
  return { screen, asked };
}

/** Makes the plan for the disputes that are decided one by one, and goes to the first. */
async function plan(terminal: Terminal, resolution = 'Delivered in time') {
  await terminal.pressAt(/Plan one decision for most of these \d+ disputes\.(.*\n)+❯ won\n/, 'Enter');
  await terminal.typeAt(/Resolution:$/, resolution);
  await terminal.pressAt(/Go through these \d+ disputes, one by one\?\n❯ Yes/, 'Enter');
}

/** The keys of a case, below its evidence. */
const keys = /\? Your decision\?\n {2}w {2}won/.source;
const at = (heading: string) => new RegExp(`${heading}\\n(.*\\n)+${keys}`);

test('an edited post is shown before it is sent, and its text is not lost when it is not', async () => {
  const machine = newProgramMachine();
  const text = '---\\ntitle: Edited\\n---\\n\\nPrecious text\\n';
  const editor = makeEditor(machine.folder, `printf -- "${text}" > "$1"`);
  const terminal = await openTerminal(machine.folder, { ...machine.env, EDITOR: editor });
  terminal.type(`clear; ${programLine} --demo blog create --edit`);

  await terminal.typeAt(/❯ Yes/, 'n');

  const screen = await terminal.shows(/nothing was sent/);
  expect(screen).toContain('Precious text');
});

test('disputes are decided one by one: skip, Ctrl-C, and the same command goes on', async () => {
  const machine = newProgramMachine();
  const ids: string[] = [];
  for (const reason of ['First', 'Second', 'Third', 'Fourth'])
    ids.push(await open(machine, reason, '--demo'));
  const terminal = await openTerminal(machine.folder, machine.env);
  const command = `${programLine} --demo disputes decide ${ids.join(' ')}`;

  terminal.type(`clear; ${command}`);
  await plan(terminal);
  // As planned: one key. Otherwise: a resolution of its own, and the id.
  await terminal.pressAt(at('1 of 4'), 'w');
  await terminal.pressAt(at('decided +1 of 4 +\\S+ +as won\\n(.*\\n)*2 of 4'), 's');
  await terminal.pressAt(at('3 of 4'), 'l');
  await terminal.typeAt(/Resolution:$/, 'Delivered late');
  await confirm(terminal);
  await terminal.pressAt(at('decided +3 of 4 +\\S+ +as lost\\n(.*\\n)*4 of 4'), 'C-c');
  const stopped = await terminal.shows(/cancelled \(2 decided, 1 skipped, 1 still open\)\n(.*\n)+\$/);
  expect(stopped).toContain('run the same command again to continue');

  terminal.type(`clear; ${command}; echo "exit $?"`);
  await plan(terminal);
  await terminal.pressAt(at('2 of 4'), 's');
  await terminal.pressAt(at('4 of 4'), 'q');
  expect(await terminal.shows(/exit \d/)).toMatch(
    /2 already decided, 1 skipped, 1 still open\.\nRun the same command again for the rest: no dispute is decided twice\.\nexit 0/,
  );

  const { stdout } = await machine.run(typed`--demo history list --operation disputes.decide --json`);
  expect(JSON.parse(stdout)).toHaveLength(2);
}, 120_000);

test('all the open disputes, one by one in the order of the list, without those that a colleague has decided meanwhile', async () => {
  const { machine, service, anotherMachine } = await setScene({ built: true });
  const colleague = otherUser(service);
  const ids: string[] = [];
  for (const reason of ['First', 'Second', 'Third']) ids.push(await open(machine, reason));
  const laptop = anotherMachine();
  const terminal = await openTerminal(laptop.folder, laptop.env);

  terminal.type(`clear; ${programLine} disputes decide; echo "exit $?"`);
  await terminal.pressAt(/❯ All 4, one by one\n +\S+ +due in \d+ days, a\.novak@mail\.example/, 'Enter');
  const planned = terminal.shows(/Go through these 4 disputes/);
  await plan(terminal);
  // All of them were shown once.
  expect(await planned).toMatch(
    /1 {2}.*a\.novak@mail\.example(.*\n)+2 {2}.*First\n3 {2}.*Second\n4 {2}.*Third\n/,
  );
  await colleague.decide(ids[0] ?? '', 'lost', 'No proof');
  await terminal.pressAt(at('Refund policy.*'), 'w');
  await terminal.pressAt(at('3 of 4\\n(.*\\n)+ {2}Second'), 's');
  await terminal.pressAt(at('4 of 4'), 'q');

  expect(await terminal.shows(/exit \d/)).toMatch(
    /Decided 1 dispute, 1 already decided, 1 skipped, 1 still open\n(.*\n)*exit 0/,
  );
}, 120_000);

test('one of the open disputes is decided by itself, as by its id; Escape goes back to the list', async () => {
  const { machine } = await setScene({ built: true });
  const first = await open(machine, 'First');
  await open(machine, 'Second');
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} disputes decide; echo "exit $?"`);

  await terminal.pressAt(/❯ All 3, one by one\n/, 'Second');
  await terminal.pressAt(/❯ \S+ +due in .*Second\n/, 'Enter');
  await terminal.pressAt(/Reason\n {2}Second\n(.*\n)+\? Status \(.*\):\n❯ won/, 'Escape');
  await terminal.pressAt(/❯ \S+ +due in .*Second\n/, 'First');
  await terminal.pressAt(/❯ \S+ +due in .*First\n/, 'Enter');
  await terminal.pressAt(/Reason\n {2}First\n(.*\n)+\? Status \(.*\):\n❯ won/, 'Enter');
  await terminal.typeAt(/Resolution:$/, 'Delivered');
  const { asked } = await confirm(terminal);
  expect(first).toMatch(new RegExp(`^${asked}`));

  await terminal.shows(/Decided dispute .* as won\n(.*\n)*exit 0/);
  const { stdout } = await machine.run(typed`disputes list --status open --json`);
  expect(JSON.parse(stdout)).toHaveLength(2);
}, 120_000);

test('a dispute that this machine had not seen before is confirmed by the beginning of its id too', async () => {
  const { machine, example } = await setScene({ built: true });
  const own = await open(machine, 'Mine');
  const other = example.disputes.find(({ status }) => status === 'open')?.id ?? '';
  const terminal = await openTerminal(machine.folder, machine.env);
  // The first is looked up among those that are known, before the second is read.
  terminal.type(`clear; ${programLine} disputes decide ${own.slice(0, -4)} ${other}; echo "exit $?"`);

  await plan(terminal);
  await terminal.pressAt(at('1 of 2'), 's');
  await terminal.pressAt(at('Refund policy.*'), 'l');
  await terminal.typeAt(/Resolution:$/, 'Not delivered');
  const { asked } = await confirm(terminal);
  expect(other).not.toBe(asked);
  expect(other).toMatch(new RegExp(`^${asked}`));
  await terminal.shows(/Decided 1 dispute, 1 skipped(.*\n)+exit 0/);
});

test('a dispute that is not there does not hold up the next one, and is named at the end', async () => {
  const { machine, example } = await setScene({ built: true });
  const open = example.disputes.find(({ status }) => status === 'open')?.id ?? '';
  const missing = '00000000-0000-4000-8000-000000000000';
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} disputes decide ${missing} ${open}; echo "exit $?"`);

  await plan(terminal);
  await terminal.pressAt(at('Refund policy.*'), 'w');

  expect(await terminal.shows(/exit 5/)).toMatch(/decided +2 of 2 .*\n(.*\n)*failed +1 of 2\b/);
});

test('a second Ctrl-C ends the wait for a decision in flight, and its outcome is said', async () => {
  const { machine, example, proxy } = await setScene({ built: true });
  const own = await open(machine, 'Mine');
  const other = example.disputes.find(({ status }) => status === 'open')?.id ?? '';
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} disputes decide ${own} ${other}; echo "exit $?"`);
  await plan(terminal);
  await terminal.shows(at('1 of 2'));
  const testEnds = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  proxy.decide(({ method }) => (method === 'POST' ? { holdUntil: testEnds } : 'pass'));

  terminal.press('w');
  await terminal.pressAt(/Waiting for .* s/, 'C-c');
  await terminal.pressAt(/Press Ctrl-C again to stop\s+immediately/, 'C-c');

  const end = await terminal.shows(/exit \d+/);
  expect(end).toMatch(/1 in doubt, 1 still open/);
  expect(end).toMatch(/in doubt {2}1 of 2 .* cancelled/);
  expect(end).toMatch(/\([a-z0-9]{6}\)/);
  expect(end).toContain('exit 10');
});

test('deciding by hand shows status and resolution before the id is typed, and drops the last line break of a pasted text', async () => {
  const machine = newProgramMachine();
  const ids = [await open(machine, 'First', '--demo'), await open(machine, 'Second', '--demo')];
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} --demo disputes decide ${ids.join(' ')}`);

  await plan(terminal);
  await terminal.pressAt(at('1 of 2'), 'l');
  await terminal.shows(/Resolution:$/);
  terminal.paste('Signed by\nthe buyer\n');
  terminal.press('Enter');
  const { screen } = await confirm(terminal);
  expect(screen).toMatch(/^Status +lost\nResolution +Signed by\n +the buyer\n/m);
  await terminal.pressAt(/decided +1 of 2 +\S+ +as lost\n(.*\n)+2 of 2/, 'C-c');
  await terminal.shows(/cancelled \(1 decided, 1 still open\)/);

  const shown = await machine.run(['--demo', 'disputes', 'show', ids[0] ?? '', '--json']);
  expect(JSON.parse(shown.stdout).record).toMatchObject({
    status: 'lost',
    resolution: 'Signed by\nthe buyer',
  });
});

test('a long plan of decisions says in the pager that a question follows, and breaks no word', async () => {
  const { machine, service, proxy } = await setScene({ built: true });
  const statuses = ['won', 'lost', 'withdrawn', 'in_arbitration'];
  const rows = (await otherUser(service).openDisputes(60)).map(
    (id, index) => `${id},${statuses[index % 4]},ok`,
  );
  for (let index = 0; index < 12; index += 1) rows.push('no-id,won,ok');
  writeFileSync(path.join(machine.folder, 'd.csv'), ['disputeId,status,resolution', ...rows].join('\n'));
  // A pager that every machine has.
  const terminal = await openTerminal(
    machine.folder,
    { ...machine.env, PAGER: 'head -n 20' },
    { columns: 80 },
  );
  terminal.type(`clear; ${programLine} disputes decide --from d.csv`);

  const plan = await terminal.shows(/Press q to close it and continue\.\n\nWarning: line 5 and 14 more: /);
  expect(plan).toMatch(/^60 disputes to decide \(.*15 in_arbitration\), 12\ncannot be decided\n/m);
  await terminal.shows(/^Warning: line 5 and 14 more: "in_arbitration" is not won, lost or withdrawn/m);
  await terminal.pressAt(/Include the decisions with an unusual status\? \(y\/N\)/, 'Enter');
  await terminal.pressAt(/Record 45 decisions\? This is final\. Type 45 to confirm/, 'C-c');
  await terminal.shows(/cancelled; nothing was sent/);
  expect(proxy.writes()).toEqual([]);
});
