import { expect, test } from 'vitest';
import { newProgramMachine, programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

/** A terminal of 100 columns that reports another width, as those of containers do, and the output of one command in it. */
async function runAt(columns: number, line: string, question?: RegExp) {
  const machine = newProgramMachine({ STORECTL_PROFILE: 'demo' });
  const terminal = await openTerminal(machine.folder, { ...machine.env, PAGER: 'cat' });
  terminal.type(`stty columns ${columns}; clear; ${programLine} ${line}; echo "exit $?"`);
  if (question !== undefined) {
    await terminal.shows(question);
    terminal.press('C-c');
  }
  return terminal.shows(/exit \d+/);
}

test.each([0, 1, 5, 20, 60])(
  'in a terminal that reports %i columns, all kinds of output end',
  async (columns) => {
    const [error, table, help, prompt] = await Promise.all([
      runAt(columns, 'store update --nope'),
      runAt(columns, 'doctor'),
      runAt(columns, 'profile use --help'),
      runAt(columns, 'backup create', /Label:/),
    ]);

    expect(error).toMatch(/error: unknown\s+option\s(.|\n)*exit 2/);
    expect(table).toMatch(/access(.|\n)*the key\s+works(.|\n)*exit 0/);
    expect(help).toMatch(/Usage: storectl(.|\n)*exit 0/);
    expect(prompt).toMatch(/cancelled;(.|\n)*exit 130/);
  },
);

test('a width of 0 counts as 80 columns, one below 20 as 20', async () => {
  const longest = (screen: string) =>
    Math.max(
      ...screen
        .split('\n')
        .filter((line) => /^( {2}|error)/.test(line))
        .map((line) => line.length),
    );
  const missing = 'disputes decide a-dispute-1 b-dispute-2 --status won --resolution text --confirm x';

  const unknown = await runAt(0, missing);
  const narrow = await runAt(5, missing);

  expect(longest(unknown)).toBeGreaterThan(60);
  expect(longest(unknown)).toBeLessThanOrEqual(80);
  expect(longest(narrow)).toBeGreaterThan(10);
  expect(longest(narrow)).toBeLessThanOrEqual(20);
});
