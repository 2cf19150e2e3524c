import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawn } from '@lydell/node-pty';
import { Terminal as Emulator } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.ts';

/** A real terminal (a pseudo terminal, and an emulator that keeps its screen) with a shell in it. */
export interface Terminal {
  /** Types keys by their names (`Enter`, `Down`, `C-c`), or literal text. */
  press(...keys: readonly string[]): void;
  /** Pastes a text, as a terminal does it for a program that wants to tell it from typing. */
  paste(text: string): void;
  /** Types a text and presses Enter. */
  type(text: string): void;
  /** Makes the terminal wider or narrower. Resolves when the program draws. */
  resize(columns: number): Promise<void>;
  /** Whether a program has left the cursor visible. */
  isCursorShown(): boolean;
  /** The text on the screen now, without trailing blanks. */
  screen(): string;
  /** Resolves with the screen when it matches and no longer changes. */
  shows(pattern: RegExp): Promise<string>;
  /** Types a text, or keys, once the screen matches. */
  typeAt(pattern: RegExp, text: string): Promise<void>;
  pressAt(pattern: RegExp, ...keys: readonly string[]): Promise<void>;
}

const keyBytes: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  Space: ' ',
  Escape: '\x1b',
  BSpace: '\x7f',
  Up: '\x1b[A',
  Down: '\x1b[B',
  End: '\x1b[F',
};

/** Shorter than the time that a test may take, so that a failure shows the screen. */
const TIMEOUT_MS = 20_000;
/** A screen is drawn in pieces: it is complete when nothing has arrived for this time. */
const STANDSTILL_MS = 50;

/** How each shell starts without the files of a user. */
const shellArguments = { sh: [], bash: ['--norc', '-i'], zsh: ['-f', '-i'] } as const;

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly shell?: keyof typeof shellArguments;
}

/** Opens a terminal in `folder`; the environment is `env` alone. It is closed after the test. */
export async function openTerminal(
  folder: string,
  env: Readonly<Record<string, string>>,
  { columns = 100, rows = 40, shell: shellName = 'sh' }: TerminalOptions = {},
): Promise<Terminal> {
  const startUp = path.join(temporaryFolder(), 'sh-start');
  // The real `clear` belongs to ncurses, which not every machine has.
  writeFileSync(startUp, `clear() { printf '\\033[H\\033[2J'; }\n`);
  const shell = spawn(shellName === 'sh' ? '/bin/sh' : shellName, [...shellArguments[shellName]], {
    cols: columns,
    rows,
    cwd: folder,
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: '$ ', ENV: startUp, ...env },
  });
  const emulator = new Emulator({ cols: columns, rows, allowProposedApi: true });
  const watchers = new Set<() => void>();
  shell.onData((output) => {
    emulator.write(output, () => {
      for (const watcher of watchers) watcher();
    });
  });
  // Answers to what programs ask a terminal.
  emulator.onData((answer) => shell.write(answer));
  const isCursorShown = watchCursor(emulator);
  const closed = new Promise<void>((resolve) => shell.onExit(() => resolve()));
  onTestFinished(async () => {
    shell.kill('SIGHUP');
    // A shell with a job that was stopped may stay.
    const timeout = setTimeout(() => shell.kill('SIGKILL'), 5_000);
    await closed;
    clearTimeout(timeout);
    emulator.dispose();
  });

  const screen = () => textOf(emulator);
  const shows = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      let standstill: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timeout);
        clearTimeout(standstill);
        watchers.delete(look);
      };
      const look = () => {
        clearTimeout(standstill);
        const text = screen();
        if (!pattern.test(text)) return;
        standstill = setTimeout(() => {
          end();
          resolve(text);
        }, STANDSTILL_MS);
      };
      const timeout = setTimeout(() => {
        end();
        reject(new Error(`the terminal does not show ${pattern}:\n${screen()}`));
      }, TIMEOUT_MS);
      watchers.add(look);
      look();
    });
  const press = (...keys: readonly string[]) => {
    for (const key of keys) shell.write(bytesOf(key));
  };
  await shows(/^\$/);
  return {
    press,
    paste: (text) => shell.write(emulator.modes.bracketedPasteMode ? `\x1b[200~${text}\x1b[201~` : text),
    type: (text) => press(text, 'Enter'),
    resize(columns) {
      emulator.resize(columns, rows);
      return new Promise((resolve) => {
        const drawn = shell.onData(() => {
          drawn.dispose();
          resolve();
        });
        shell.resize(columns, rows);
      });
    },
    isCursorShown,
    screen,
    shows,
    typeAt: async (pattern, text) => {
      await shows(pattern);
      press(text, 'Enter');
    },
    pressAt: async (pattern, ...keys) => {
      await shows(pattern);
      press(...keys);
    },
  };
}

function bytesOf(key: string): string {
  const control = /^C-([a-z])$/.exec(key)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 0x60);
  return keyBytes[key] ?? key;
}

function textOf(emulator: Emulator): string {
  const { active } = emulator.buffer;
  const lines = Array.from({ length: emulator.rows }, (_, row) =>
    (active.getLine(active.baseY + row)?.translateToString() ?? '').trimEnd(),
  );
  return lines.join('\n').trimEnd();
}

/** Tells whether the cursor is shown, from the sequences that show and hide it (DECTCEM). */
function watchCursor({ parser }: Emulator): () => boolean {
  const CURSOR = 25;
  let shown = true;
  for (const [final, value] of [
    ['h', true],
    ['l', false],
  ] as const) {
    parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(CURSOR)) shown = value;
      // The emulator is to do its part.
      return false;
    });
  }
  return () => shown;
}
