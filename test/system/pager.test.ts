import { expect, test } from 'vitest';
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
