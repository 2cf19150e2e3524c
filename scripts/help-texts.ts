import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { main } from '../src/cli/main.ts';
import { type Group, isGroup, tree } from '../src/cli/program/command-tree.ts';
import { helpFile } from '../src/cli/program/rendered-help.ts';
import { topics } from '../src/cli/program/topics.ts';

/** Writes the help of the program, of every noun, command and topic, as the parser prints it in a wide terminal. */
export async function writeHelpTexts(): Promise<void> {
  mkdirSync(path.dirname(helpFile([])), { recursive: true });
  for (const words of commandPaths()) writeFileSync(helpFile(words), await helpOf(words));
}

/** The words of each: none for the program. */
export function commandPaths(): string[][] {
  return [[], ...Object.keys(topics).map((name) => [name]), ...pathsIn(tree)];
}

function pathsIn(commands: Group['commands']): string[][] {
  return Object.entries(commands).flatMap(([word, entry]) => [
    [word],
    ...(isGroup(entry) ? pathsIn(entry.commands).map((path) => [word, ...path]) : []),
  ]);
}

async function helpOf(words: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const exitCode = await main([...words, '--help'], {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: { FORCE_COLOR: '1' },
    cwd: process.cwd(),
    process,
    homeDirectory: process.cwd(),
    signal: new AbortController().signal,
  });
  const text: unknown = stdout.setEncoding('utf8').read();
  if (exitCode !== 0 || typeof text !== 'string') throw new Error(`there is no help of: ${words.join(' ')}`);
  return text;
}
