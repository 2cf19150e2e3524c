import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newProgramMachine, programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

test('text longer than the screen is shown in less by default', async () => {
  const { folder, env } = newProgramMachine();
  const terminal = await openTerminal(folder, env);
  terminal.type(`stty rows 8; clear; ${programLine} --demo settings show; echo exit $?`);

  const screen = await terminal.shows(/^:$/m);
  expect(screen).toContain('Quiet hours enabled');
  expect(screen).not.toContain('Showcase');
  terminal.press('q');

  await terminal.shows(/exit 0/);
});

test('Ctrl-C while the plan of a batch is in less cancels the batch, and that is said', async () => {
  const { folder, env } = newProgramMachine();
  for (let post = 10; post < 40; post += 1)
    writeFileSync(path.join(folder, `p${post}.md`), `---\ntitle: Post ${post}\n---\nText\n`);
  const terminal = await openTerminal(folder, env);
  terminal.type(`stty rows 12; clear; ${programLine} --demo blog create p*.md; echo exit $?`);

  await terminal.pressAt(/^:$/m, 'C-c');
  // What is typed together with Ctrl-C is dropped with it.
  const quitting = setInterval(() => terminal.press('q'), 500);
  onTestFinished(() => clearInterval(quitting));

  await terminal.shows(/error: cancelled; nothing was sent\n(.*\n)*exit 130/);
});
