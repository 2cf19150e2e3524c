import { demoProfile } from './connection-settings.ts';

/** A command of this program that the user may run, without the program's name. */
interface Command {
  readonly run: readonly string[];
}

/** Text in which commands are data, so that the profile is named in them where they are printed. */
export type Phrase = string | readonly (string | Command)[];

/** A command to name in a phrase: `toRun('resume', id)`. */
export function toRun(...words: readonly string[]): Command {
  return { run: words };
}

/** A phrase from a template, whose values may be commands and other phrases. */
export function phrase(
  texts: TemplateStringsArray,
  ...values: readonly (string | Command | Phrase)[]
): Phrase {
  return texts.flatMap((text, index) => {
    const value = values[index] ?? '';
    return [text, ...(typeof value === 'string' || 'run' in value ? [value] : value)];
  });
}

/** The commands that work on the store or on the history of a profile. */
const usesProfile: ReadonlySet<string> = new Set([
  ...'api backup blog disputes doctor history notify reclaim resume settings store undo'.split(' '),
  'auth logout',
  'auth status',
]);

/**
 * The text of a phrase. Its commands name the profile that was given with a flag, so that they can be pasted: each profile
 * has its own store and history.
 */
export function phraseText(phrase: Phrase, profile: string | undefined): string {
  if (typeof phrase === 'string') return phrase;
  const flags = profile === undefined ? [] : profile === demoProfile ? ['--demo'] : ['--profile', profile];
  return phrase
    .map((part) => {
      if (typeof part === 'string') return part;
      const [noun = '', verb] = part.run;
      const isOfProfile = usesProfile.has(noun) || usesProfile.has(`${noun} ${verb}`);
      return `\`${['storectl', ...(isOfProfile ? flags : []), ...part.run].join(' ')}\``;
    })
    .join('');
}
