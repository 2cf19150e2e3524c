import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newProgramMachine, type ProgramMachine, programLine } from '../../helpers/program.ts';
import { openTerminal } from '../../helpers/terminal.ts';

/** A user at a terminal, with `storectl` on the path. */
export interface Session {
  readonly machine: ProgramMachine;
  /** Types a text and presses Enter. */
  type(text: string): void;
  paste(text: string): void;
  /** Types keys by their names (`Enter`, `Down`, `Space`, `C-c`), or literal text. */
  press(...keys: readonly string[]): void;
  /** Types a text, or keys, once a screen matches. */
  typeAt(pattern: RegExp, text: string): Promise<void>;
  pressAt(pattern: RegExp, ...keys: readonly string[]): Promise<void>;
  isCursorShown(): boolean;
  /** Waits for a screen that matches. Resolves with its lines from the first that the previous screen did not have. */
  shows(pattern: RegExp): Promise<string>;
  /** Waits for the end of the program. Resolves with the whole screen, the exit code below. */
  ends(): Promise<string>;
}

export interface SessionOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A new one of the demo unless given. */
  readonly machine?: ProgramMachine;
  readonly columns?: number;
  readonly rows?: number;
  /** Values that differ from run to run, and the placeholders for them. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A machine whose commands use the demo without a flag. */
export function demoMachine(): ProgramMachine {
  return newProgramMachine({ STORECTL_PROFILE: 'demo' });
}

/** Opens a terminal and types the first command. */
export async function openSession(command: string, options: SessionOptions = {}): Promise<Session> {
  const { machine = demoMachine(), env = {}, columns = 100, rows = 60, names = {} } = options;
  const bin = path.join(machine.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = path.join(bin, 'storectl');
  writeFileSync(program, `#!/bin/sh\nexec ${programLine} "$@"\n`);
  chmodSync(program, 0o755);
  const all = { ...machine.env, PATH: `${bin}:${machine.env.PATH}`, PAGER: 'cat', ...env };
  const terminal = await openTerminal(machine.folder, all, { columns, rows });
  const wholeScreen = async (pattern: RegExp) => {
    const screen = await terminal.shows(pattern);
    return withPlaceholders(screen, { ...names, [machine.folder]: '<home>' });
  };
  let previous: readonly string[] = [];
  const shows = async (pattern: RegExp) => {
    const lines = (await wholeScreen(pattern)).split('\n');
    const firstNew = lines.findIndex((line, row) => line !== previous[row]);
    previous = lines;
    return lines.slice(firstNew).join('\n');
  };
  terminal.type(command);
  return {
    machine,
    type: terminal.type,
    paste: terminal.paste,
    press: terminal.press,
    isCursorShown: terminal.isCursorShown,
    shows,
    async typeAt(pattern, text) {
      await shows(pattern);
      terminal.type(text);
    },
    async pressAt(pattern, ...keys) {
      await shows(pattern);
      terminal.press(...keys);
    },
    async ends() {
      await terminal.shows(/\n\$$/);
      terminal.type('echo "exit $?"');
      const screen = await wholeScreen(/\nexit \d+\n\$$/);
      return screen.replace(/\$ echo "exit \$\?"\n(.*)\n\$$/, '$1');
    },
  };
}

/** What differs from run to run, the longest first. */
const placeholders: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b/g, '<sha256>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [
    /(?<=storectl (?:--\S+ )*(?:undo|resume|history show) )[0-9a-z]{6}\b|(?<=^ID +)[0-9a-z]{6}$/gm,
    '<record>',
  ],
  [/(?<=\bundo )[0-9a-z]{6}(?= uses it)/g, '<record>'],
  [/(?<=\b(?:Undid|Undo|again since|takes back|undone by) )[0-9a-z]{6}(?=[ ?.\n])/g, '<record>'],
  [/(?<=\/history\/)[0-9a-f]{16}\b/g, '<store>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{1,12}){0,4}(?= to confirm| {2}\S)/g, '<id>'],
  [/\b[0-9a-z]{6}(?= {2}[a-z]+\.[a-z])|(?<=change do you want to see\? )[0-9a-z]{6}$/gm, '<record>'],
  [/\bsk_(live|demo)_\w+/g, '<key>'],
  [/\bstorectl-[0-9a-f]{30,}\b/g, '<idempotency-key>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d)( \([^)]*\))?/g, '<time>'],
  [/\b(just now|\d+ (minute|hour|day|month)s? ago)\b/g, '<age>'],
  [/\b127\.0\.0\.1:\d+/g, '<host>'],
  [/\bv?\d+\.\d+\.\d+\b/g, '<version>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<date>'],
  [/\b\d+ [GM]iB\b/g, '<size>'],
  [/\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})? */g, '<day>'],
];

/** The screen with placeholders for what differs from run to run, and for the values in `names`. */
export function withPlaceholders(screen: string, names: Readonly<Record<string, string>>): string {
  const named = Object.entries(names).reduce((text, [value, name]) => text.replaceAll(value, name), screen);
  return placeholders.reduce((text, [pattern, name]) => text.replace(pattern, name), named);
}
