const usesProfile =
  /^(api|auth (status|logout)|backup|blog|disputes|doctor|history|notify|reclaim|resume|settings|store)\b/;

/** The text with `--profile` in its commands, if the user named a profile by flag: pasted, they then reach the same store. */
export function inProfile(text: string, profile: string | undefined): string {
  if (profile === undefined) return text;
  const flag = profile === 'demo' ? '--demo' : `--profile ${profile}`;
  return text.replace(/`storectl ([^`]+)`/g, (command, words: string) =>
    usesProfile.test(words) && !words.includes('--profile') ? `\`storectl ${flag} ${words}\`` : command,
  );
}
