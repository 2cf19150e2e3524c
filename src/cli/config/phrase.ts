import { commandText } from '../core/command-text.ts';
import { drawn, type Printable, printable } from '../core/sanitize.ts';
import { type ConnectionFlags, demoProfile } from './connection-settings.ts';

/** A command of this program that the user may run, without the program's name. */
interface Command {
  readonly run: readonly string[];
}

/**
 * Text to print, in which commands are data, so that flags can be added to them where they are printed. Made by the template
 * {@link phrase}, which escapes its values.
 */
export type Phrase = Printable | readonly (Printable | Command)[];

/** A command to name in a phrase: `toRun('resume', id)`. */
export function toRun(...words: readonly string[]): Command {
  return { run: words };
}

/**
 * A phrase from a template. Its values are texts and numbers from anywhere, which are escaped for one line, commands, and
 * other phrases.
 */
export function phrase(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Command | Exclude<Phrase, Printable>)[]
): Exclude<Phrase, Printable> {
  return texts.flatMap((text, index) => {
    const value = values[index] ?? '';
    const parts = typeof value === 'object' ? ('run' in value ? [value] : value) : [printable(String(value))];
    return [drawn(text), ...parts];
  });
}

/** A command as it is typed: with the flags that say where this one goes, because each store has its own history. */
export function commandLine(
  words: readonly string[],
  { profile, store, baseUrl }: ConnectionFlags,
): Printable {
  const flags = [
    ...(profile === undefined ? [] : profile === demoProfile ? ['--demo'] : ['--profile', profile]),
    ...(store === undefined ? [] : ['--store', store]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ];
  return printable(commandText([...flags, ...words]));
}

/** The text of a phrase. Its commands are those of {@link commandLine}, so that they can be pasted. */
export function phraseText(phrase: Phrase, flags: ConnectionFlags): Printable {
  if (typeof phrase === 'string') return phrase;
  return drawn(
    phrase.map((part) => (typeof part === 'string' ? part : `\`${commandLine(part.run, flags)}\``)).join(''),
  );
}
