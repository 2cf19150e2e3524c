import type { Phrase } from '../core/errors.ts';
import { demoProfile } from './connection-settings.ts';

/** The commands that work on the store or on the history of a profile. */
const usesProfile: ReadonlySet<string> = new Set([
  'api',
  'auth logout',
  'auth status',
  'backup',
  'blog',
  'disputes',
  'doctor',
  'history',
  'notify',
  'reclaim',
  'resume',
  'settings',
  'store',
  'undo',
]);

/**
 * The text of a phrase. Its commands name the profile that was given with a flag, so that they can be pasted: each profile
 * has a store and a history of its own.
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
