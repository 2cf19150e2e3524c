import { expect, test } from 'vitest';
import { newProgramMachine, type ProgramMachine, programLine } from '../helpers/program.ts';
import { setScene } from '../helpers/scene.ts';
import { openTerminal } from '../helpers/terminal.ts';

const demo = `${programLine} --demo`;

/** A machine whose history has names that take two columns a letter, and many of them. */
async function machineWithBackups(count: number): Promise<ProgramMachine> {
  const machine = newProgramMachine();
  for (let index = 1; index <= count; index += 1) {
    const label = `注文 😀 ${index}x`;
    await machine.run(['--demo', 'backup', 'create', '--label', label, '--sections', 'store', '-q']);
  }
  return machine;
}

test.each([60, 80, 140])(
  'in %i columns, a list is filtered as one types, and no line is broken',
  async (columns) => {
    const machine = await machineWithBackups(12);
    const terminal = await openTerminal(machine.folder, machine.env, { columns });
    terminal.type(`clear; ${demo} backup show; echo "exit $?"`);

    await terminal.shows(/注文 😀 12x .*\n(.*\n)+12 choices • .*type to filter.*select$/);
    // Digits are text: it is not the twelfth.
    await terminal.pressAt(/filter/, '12x');
    const filtered = await terminal.shows(/see\? 12x\n❯ .*😀 12x .*\n {2}Other…\n\n1 of 12 /);
    expect(Math.max(...filtered.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    await terminal.pressAt(/1 of 12/, 'BSpace', 'BSpace', 'BSpace', '注文 3x');
    await terminal.pressAt(/\n❯ .*😀 3x .*\n {2}Other…\n/, 'Enter');

    expect(await terminal.shows(/exit 0/)).toMatch(/^Label +注文 😀 3x$/m);
  },
  120_000,
);

test('a filter that matches nothing chooses nothing; Escape clears it, and Other starts empty', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${demo} disputes decide --resolution x; echo "exit $?"`);

  await terminal.pressAt(/Which dispute/, 'nothing like it');
  await terminal.pressAt(/No matches\n {2}Other…\n\n0 of 1 • esc clear filter • .*select$/, 'Enter', 'x');
  // Enter did nothing: what is typed goes on.
  await terminal.pressAt(/decide\? nothing like itx\n {2}No matches\n {2}Other…\n/, 'Escape');
  await terminal.pressAt(/decide\?\n❯ \S+ +due in .*\n(.*\n)* {2}Other…\n/, 'nothing');
  await terminal.pressAt(/No matches\n {2}Other…\n/, 'Down');
  await terminal.pressAt(/No matches\n❯ Other…\n/, 'Enter');
  await terminal.pressAt(/Dispute ID:$/, 'C-c');

  await terminal.shows(/exit 130/);
});

test('Escape leaves no old answer on the screen, and offers it when the question is asked again', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env, { columns: 60 });
  terminal.type(`clear; ${demo} backup create`);
  const long = 'a label that is longer than the line of this terminal is wide';
  await terminal.typeAt(/Label:$/, long);
  await terminal.pressAt(/submit$/, 'Enter');
  await terminal.pressAt(/Create this backup\?/, 'Escape');
  await terminal.shows(/❯◉ store\n(.*\n)+.*submit$/);
  expect(terminal.screen()).not.toMatch(/✔ Sections|^Sections +store/m);

  terminal.press('Escape');
  await terminal.shows(/\? Label: a label that(.*\n)*.*wide$/);
  expect(terminal.screen()).not.toMatch(/✔|Sections/);
});

test('Escape out of the menu of fields takes back what was edited there', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${demo} backup create --sections store`);
  await terminal.typeAt(/Label:$/, 'nightly');
  await terminal.pressAt(/Create this backup\?\n❯ Yes/, 'Edit', 'Enter');
  await terminal.pressAt(/What do you want to change\?/, 'label', 'Space', 'sect', 'Space', 'Enter');
  await terminal.pressAt(/\? Label: nightly$/, ' 2', 'Enter');
  await terminal.pressAt(/◉ store/, 'Escape');
  await terminal.pressAt(/\? Label: nightly 2$/, 'Escape');
  await terminal.pressAt(/◉ Label/, 'Escape');

  const review = await terminal.shows(/\? Create this backup\?\n❯ Yes/);
  expect(review).toMatch(/^Label +nightly$/m);
  expect(review).not.toContain('nightly 2');
});

test.each([
  [60, 120],
  [80, 140],
])('a question is drawn anew when a terminal of %i columns has %i', async (before, after) => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env, { columns: before });
  terminal.type(`clear; ${demo} blog create`);
  const title = '日本語の題名 '.repeat(8);
  await terminal.pressAt(/Title:$/, title);
  await terminal.shows(/日本語(.*\n)*.*題名$/);

  await terminal.resize(after);
  await terminal.pressAt(/題名$/, 'end');
  const screen = await terminal.shows(/end$/);

  expect(screen.match(/\? Title:/g)).toHaveLength(1);
  terminal.press('Enter');
  expect((await terminal.shows(/Content/)).match(/日本語/g)).toHaveLength(8);
});

test.each([
  ['STORECTL_ACCESSIBLE', '1'],
  ['TERM', 'dumb'],
])(
  'with %s=%s a long list is lines of text: nothing is redrawn, and a part of a name finds its number',
  async (name, value) => {
    const machine = await machineWithBackups(25);
    const terminal = await openTerminal(machine.folder, { ...machine.env, [name]: value }, { rows: 60 });
    terminal.type(`clear; ${demo} backup restore; echo "exit $?"`);

    await terminal.typeAt(/20: .*\nAnd 6 more\nNumber, or a part of a name to find it:$/, '😀 25x');
    const found = await terminal.shows(
      /\n\d+: .*😀 25x.*\nNumber \(Enter for \d+\), or a part of a name to find it:$/,
    );
    expect(found).not.toContain('❯');
    terminal.press('C-c');
    await terminal.shows(/exit 130/);
  },
  120_000,
);

test('Ctrl-Z and fg: the picker is there again, with what was typed', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env, { shell: 'bash' });
  terminal.type(`clear; ${demo} settings save; echo "exit $?"`);
  await terminal.pressAt(/What do you want to change\?/, 'quiet');
  await terminal.pressAt(/4 of 43/, 'C-z');
  await terminal.typeAt(/Stopped/, 'clear; fg');
  await terminal.pressAt(/change\? quiet\n❯◯ Quiet hours enabled/, 'C-c');
  await terminal.shows(/cancelled; nothing was saved/);
});

test('a list that fails to load is replaced by what this machine has seen, or by typing', async () => {
  const { machine, proxy } = await setScene({ built: true });
  proxy.decide(({ method }) => (method === 'GET' ? { status: 503, body: '' } : 'pass'));
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} backup restore --timeout 2; echo "exit $?"`);
  await terminal.pressAt(/No backups seen on this machine\. Enter an id\.\n(.*\n)*.*Backup ID:$/, 'C-c');
  await terminal.shows(/exit 130/);
});

test('settings: the templates are in the menu, with the names of the events; Enter keeps the position of a switch', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${demo} settings save; echo "exit $?"`);
  await terminal.pressAt(/What do you want to change\?/, 'decided', 'Enter');
  await terminal.pressAt(/◉ Template dispute_decided title/, 'discovery', 'Space', 'Enter');
  await terminal.pressAt(/\? List the store in discovery:\n❯ Yes \(now\)\n {2}No\n/, 'Down', 'Enter');
  await terminal.typeAt(/Template dispute_decided title:.*$/, 'Decided');
  await terminal.pressAt(/Save these settings\?\n❯ Yes/, 'Enter');

  expect(await terminal.shows(/exit 0/)).toMatch(
    /^Template dispute_decided title +not set → Decided\nDiscovery enabled +yes → no\n/m,
  );
});
