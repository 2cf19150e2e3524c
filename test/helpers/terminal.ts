import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A real terminal (a private tmux server) with a shell in it. */
export interface Terminal {
  /** Types keys as tmux names them: `Enter`, `C-c`, or literal text. */
  press(...keys: readonly string[]): void;
  /** Pastes a text, as a terminal does it for a program that wants to tell it from typing. */
  paste(text: string): void;
  /** Types a text and presses Enter. */
  type(text: string): void;
  /** Whether a program has left the cursor visible. */
  isCursorShown(): boolean;
  /** What stands on the screen now, without trailing blanks. */
  screen(): string;
  /** Resolves with the screen when it matches. */
  shows(pattern: RegExp): Promise<string>;
}

const PATIENCE_MS = 15_000;

/** Opens a terminal in `folder`; the environment is `env` alone. It is closed after the test. */
export async function openTerminal(
  folder: string,
  env: Readonly<Record<string, string>>,
  { columns = 100, rows = 40 }: { readonly columns?: number; readonly rows?: number } = {},
): Promise<Terminal> {
  // tmux leaves its socket behind; a path to one may have a hundred characters.
  const sockets = mkdtempSync('/tmp/storectl-tmux-');
  const server = ['-S', `${sockets}/s`, '-f', '/dev/null'];
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', [...server, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' },
    });
  const variables = Object.entries({ TERM: 'screen-256color', LANG: 'C.UTF-8', PS1: '$ ', ...env });
  tmux(
    ...['new-session', '-d', '-s', 'main', '-x', String(columns), '-y', String(rows), '-c', folder],
    ...['env', '-i', ...variables.map(([key, value]) => `${key}=${value}`), '/bin/sh'],
  );
  onTestFinished(() => {
    spawnSync('tmux', [...server, 'kill-server']);
    rmSync(sockets, { recursive: true, force: true });
  });

  const screen = () => tmux('capture-pane', '-p', '-t', 'main').trimEnd();
  const shows = async (pattern: RegExp) => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const text = screen();
      if (pattern.test(text)) return text;
      if (performance.now() > deadline) throw new Error(`the terminal does not show ${pattern}:\n${text}`);
      // tmux tells nobody when the screen changes.
      await sleep(40);
    }
  };
  await shows(/^\$/);
  return {
    press: (...keys) => {
      tmux('send-keys', '-t', 'main', ...keys);
    },
    paste: (text) => {
      tmux('set-buffer', '--', text);
      tmux('paste-buffer', '-p', '-t', 'main');
    },
    type: (text) => {
      tmux('send-keys', '-t', 'main', '-l', text);
      tmux('send-keys', '-t', 'main', 'Enter');
    },
    isCursorShown: () => tmux('display-message', '-p', '-t', 'main', '#{cursor_flag}').trim() === '1',
    screen,
    shows,
  };
}
