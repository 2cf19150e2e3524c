import { globalOptions, globalSwitches } from '../command/global-options.ts';
import { type Group, isGroup, tree } from './command-tree.ts';
import { topics } from './topics.ts';

const helpFlags = ['--help', '-h'];

/**
 * The arguments as the parser takes them: `help backup create` means `backup create --help`. A word that names nothing is an
 * error, also where help is asked for, so the flag goes that would let the parser pass over it.
 */
export function askedWords(argv: readonly string[]): string[] {
  const first = argv.findIndex((word) => !globalSwitches.includes(word));
  const words = argv[first] === 'help' ? [...argv.toSpliced(first, 1), '--help'] : [...argv];
  return namesSomething(words) ? words : words.filter((word) => !helpFlags.includes(word));
}

/** Whether the words before a command's own arguments all name nouns, commands or topics. */
function namesSomething(words: readonly string[]): boolean {
  let commands: Group['commands'] = tree;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return true;
    if (word.startsWith('-')) {
      if (globalOptions.some(({ flag, value }) => flag === word && value !== undefined)) index += 1;
      continue;
    }
    if (commands === tree && Object.hasOwn(topics, word)) return true;
    const entry = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (entry === undefined) return false;
    if (!isGroup(entry)) return true;
    ({ commands } = entry);
  }
  return true;
}
