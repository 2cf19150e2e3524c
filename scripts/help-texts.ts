import { PassThrough } from 'node:stream';
import { main } from '../src/cli/main.ts';
import { type Group, isGroup, tree } from '../src/cli/program/command-tree.ts';

/** The help of the program, of every noun and of every command, by the words before `--help`. */
export async function helpTexts(): Promise<Map<readonly string[], string>> {
  const paths = [[], ...pathsOf(tree)];
  const texts = new Map<readonly string[], string>();
  for (const words of paths) texts.set(words, await helpOf(words));
  return texts;
}

function pathsOf(commands: Group['commands']): string[][] {
  return Object.entries(commands).flatMap(([word, entry]) => [
    [word],
    ...(isGroup(entry) ? pathsOf(entry.commands).map((path) => [word, ...path]) : []),
  ]);
}

async function helpOf(words: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const exitCode = await main([...words, '--help'], {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: process.cwd(),
    process,
    homeDirectory: process.cwd(),
    signal: new AbortController().signal,
  });
  const text: unknown = stdout.setEncoding('utf8').read();
  if (exitCode !== 0 || typeof text !== 'string') throw new Error(`there is no help of: ${words.join(' ')}`);
  return text;
}
