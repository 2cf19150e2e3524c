import { expect, test } from 'vitest';
import { exampleIds } from '../../src/contract/objects.ts';
import { newProgramMachine, programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

test.each([
  ['C', false],
  ['C.UTF-8', true],
])(
  'with LC_ALL=%s the timeline of a dispute is there, and symbols are drawn as the locale can',
  async (locale, hasSymbols) => {
    const machine = newProgramMachine({ LC_ALL: locale, PAGER: 'cat' });
    const terminal = await openTerminal(machine.folder, machine.env, { rows: 80 });
    const line = `${programLine} --demo disputes show ${exampleIds.openDispute}; ${programLine} --demo store update --name X`;
    terminal.type(`clear; ${line}; echo "exit $?"`);

    const screen = await terminal.shows(/exit \d+/);

    expect(screen).toMatch(hasSymbols ? /●━+/ : /o=+/);
    expect(screen).toMatch(hasSymbols ? /✓ Updated/ : /\+ Updated/);
    expect(/[✓●◆━─→]/.test(screen)).toBe(hasSymbols);
  },
);

test.each([
  ['C', /> Log in .*\n {2}Use the demo store\n {2}Cancel\n\narrows navigate \* Enter select/],
  ['C.UTF-8', /❯ Log in .*\n {2}Use the demo store\n {2}Cancel\n\n↑↓ navigate • ⏎ select/],
])('with LC_ALL=%s a question is drawn as the locale can', async (locale, picker) => {
  const machine = newProgramMachine({ LC_ALL: locale });
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; ${programLine} settings show`);

  expect(await terminal.shows(/select/)).toMatch(picker);
});

test('the profile in use is marked beside its name, also in a narrow terminal', async () => {
  const machine = newProgramMachine({ PAGER: 'cat' });
  const set = ['--base-url', 'https://api.example.com', '--store', exampleIds.store];
  for (const name of ['main', 'outlet']) await machine.run(['profile', 'set', name, ...set]);
  await machine.run(['profile', 'use', 'outlet']);
  const terminal = await openTerminal(machine.folder, machine.env, { columns: 60 });
  terminal.type(`clear; ${programLine} profile list; echo "exit $?"`);

  const screen = await terminal.shows(/exit \d+/);

  expect(screen).toMatch(/Name +outlet \(in use\)\n/);
  expect(screen).not.toMatch(/^ *\*$/m);
});
