import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeEditor } from '../helpers/editor.ts';
import { newProgramMachine, programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

/** The demo store in a terminal with this shell. */
async function openDemo(shell: 'sh' | 'bash' | 'zsh', env: Readonly<Record<string, string>> = {}) {
  const { folder, env: all } = newProgramMachine(env);
  const terminal = await openTerminal(folder, { ...all, PS1: '$ ' }, { shell, columns: 160 });
  onTestFinished(() => terminal.press('C-c'));
  return {
    folder,
    ...terminal,
    run: (args: string) => terminal.type(`${programLine} --demo ${args}`),
    /** Ctrl-Z, and `fg` once the shell has the terminal again. */
    async suspend() {
      terminal.press('C-z');
      // A program that has just drawn may not listen yet: then one presses it again.
      const again = setTimeout(() => terminal.press('C-z'), 5_000);
      await terminal.shows(/(Stopped|suspended)[^\n]* --demo[^\n]*\n/i);
      clearTimeout(again);
      terminal.type('clear; fg');
    },
  };
}

describe.each(['sh', 'bash', 'zsh'] as const)('Ctrl-Z, then fg, in %s', (shell) => {
  test('at a line of text: what was typed is there, and the rest can be typed', async () => {
    const { run, shows, press, type, suspend } = await openDemo(shell);
    run('backup create');
    await shows(/Label:/);
    press('my lab');
    await shows(/my lab/);
    await suspend();

    await shows(/Label: my lab/);
    type('el');

    expect(await shows(/Sections/)).toMatch(/Label: my label/);
    await suspend();
    await shows(/Sections[\s\S]*store/);
    press('C-c');
    await shows(/cancelled/);
  });

  test('a paste is still one answer', async () => {
    const { run, shows, press, paste, suspend, isCursorShown } = await openDemo(shell);
    run('disputes open');
    await shows(/Reason/);
    await suspend();
    await shows(/Reason/);
    paste('Late\nparcel');
    await shows(/Reason: Late.parcel/);
    press('C-c');
    await shows(/cancelled/);
    expect(isCursorShown()).toBe(true);
  });

  test('at a question for screen readers', async () => {
    const { run, shows, type, press, suspend } = await openDemo(shell, { STORECTL_ACCESSIBLE: '1' });
    run('backup create');
    await shows(/Label:/);
    await suspend();
    await shows(/Label:/);
    type('my label');
    await shows(/Sections[\s\S]*Numbers/);
    await suspend();
    await shows(/Sections[\s\S]*Numbers/);
    press('C-c');
    await shows(/cancelled/);
  });

  test('in the editor, and at the question after it', async () => {
    const { folder, run, shows, press, suspend } = await openDemo(shell);
    writeFileSync(path.join(folder, 'post.md'), '# Sale\n\nInk\n');
    const editor = makeEditor(folder, 'printf "editing\\n"; read line; printf "%s\\n" "$line" >> "$1"');
    press(`export EDITOR='${editor}'`, 'Enter');
    run('blog create post.md --edit');
    await shows(/editing/);
    await suspend();
    await shows(/--demo blog/);
    press('and paper', 'Enter');
    await shows(/Create this post/);
    await suspend();
    await shows(/Create this post/);
    press('Enter');
    await shows(/Created post/);
    expect(readFileSync(path.join(folder, 'post.md'), 'utf8')).toBe('# Sale\n\nInk\n');
  });

  test('in the pager, and at the question after it', async () => {
    const { folder, run, shows, press, suspend } = await openDemo(shell);
    const rows = Array.from({ length: 60 }, (_, row) => `"Post ${row}"`);
    for (const [row, title] of rows.entries())
      writeFileSync(path.join(folder, `post-${row}.md`), `---\ntitle: ${title}\n---\nText\n`);
    press("export PAGER='less'", 'Enter');
    run('blog create post-*.md');
    await shows(/Press q to close it/);
    await suspend();
    await shows(/Press q to close it/);
    press('q');
    await shows(/Create these posts\?/);
    await suspend();
    await shows(/Create these posts\?/);
    press('C-c');
    await shows(/cancelled/);
  });
});
