import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { launcher, newProgramMachine, testNode } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

test('who is asked for a decision sees the dispute first, and Escape at the end loses nothing', async () => {
  const machine = newProgramMachine();
  const info = JSON.parse((await machine.run(['--demo', 'demo', 'info', '--json'])).stdout);
  const open = info.disputes.find(({ status }: { status: string }) => status === 'open').id;
  const terminal = await openTerminal(machine.folder, machine.env);
  terminal.type(`clear; '${testNode}' '${launcher}' --demo disputes decide ${open}`);

  const screen = await terminal.shows(/Outcome of the dispute:\n❯ won/);
  expect(screen).toContain('Refund policy');
  terminal.press('Enter');
  await terminal.shows(/Reason for the decision:/);
  terminal.type('Deliver');
  await terminal.shows(/Type .* to confirm/);
  terminal.press('Escape');
  // The last question again, with its answer.
  await terminal.shows(/Reason for the decision: Deliver$/);
  terminal.type('ed');
  await terminal.shows(/Delivered\n(.*\n)+.*to confirm:$/);
  terminal.type(open);
  await terminal.shows(/^Resolution +Delivered/m);

  const shown = await machine.run(['--demo', 'disputes', 'show', open, '--fields', 'record.status']);
  expect(JSON.parse(shown.stdout)).toEqual({ record: { status: 'won' } });
});

test('an edited post is shown before it is sent, and its text is not lost when it is not', async () => {
  const machine = newProgramMachine();
  const editor = path.join(machine.folder, 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\nprintf -- "---\\ntitle: Edited\\n---\\n\\nPrecious text\\n" > "$1"\n', {
    mode: 0o755,
  });
  const terminal = await openTerminal(machine.folder, { ...machine.env, EDITOR: editor });
  terminal.type(`clear; '${testNode}' '${launcher}' --demo blog create --edit`);

  await terminal.shows(/❯ Yes/);
  terminal.type('n');

  const screen = await terminal.shows(/nothing was sent/);
  expect(screen).toContain('Precious text');
});
