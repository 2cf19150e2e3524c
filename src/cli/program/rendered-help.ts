import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { packageFolder } from '../../base/package-folder.ts';
import { type Environment, usesColors } from '../core/io.ts';
import { version } from '../core/version.ts';

/** Columns that help never exceeds. */
export const helpColumns = 100;

/** The file in which the build keeps the help of a command or a topic, with bold headings. */
export function helpFile(words: readonly string[]): string {
  return join(packageFolder(), 'dist', 'help', `${['storectl', ...words].join('-')}.txt`);
}

/**
 * Prints the version, or help as the parser rendered it when the program was built: loading the parser takes longer than all
 * the rest. False if the arguments ask for anything else, or it cannot be written: then the parser does it, or says why not.
 */
export function printRendered(
  argv: readonly string[],
  stdout: NodeJS.WriteStream,
  env: Environment,
): Promise<boolean> {
  const found = textFor(argv, stdout.columns || helpColumns);
  const text = usesColors(stdout, env) ? found : found && stripVTControlCharacters(found);
  if (text === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    stdout.once('error', () => resolve(false));
    stdout.write(text, (error) => resolve(!error));
  });
}

function textFor(argv: readonly string[], columns: number): string | null {
  const [first = ''] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(first)) return `${version}\n`;
  const words = argv.slice(0, -1);
  const isHelp =
    ['--help', '-h'].includes(argv.at(-1) ?? '') && words.every((word) => /^[a-z-]+$/.test(word));
  if (!isHelp || columns < helpColumns) return null;
  try {
    return readFileSync(helpFile(words), 'utf8');
  } catch {
    return null;
  }
}
