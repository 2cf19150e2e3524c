import { isTypo, nearestFirst } from '../../base/nearest-name.ts';
import { refusedFlags } from '../command/command-definition.ts';
import { globalOptions } from '../command/global-options.ts';
import { quoteCommand } from '../core/command-text.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import { follow, isGroup, tree } from './command-tree.ts';

/** Flags that other tools have for the same, by what they are called here. Of several, those that the command has. */
const flagsElsewhere: readonly (readonly [typed: string, here: string])[] = [
  ['-o --out --output --format -F --as-json', '--json'],
  ['-o --output --out', '--output-file'],
  ['--select --columns --field --query -t --template --jsonpath', '--fields'],
  ['--verbose --trace --log', '--debug'],
  ['-L -n --max --count --per-page --page-size --first --top', '--limit'],
  ['--cursor --starting-after --page-token --offset', '--after'],
  ['--non-interactive --no-prompt --no-interactive --batch --ci', '--no-input'],
  ['--silent', '--quiet'],
  ['--dryrun --noop --plan --what-if --check', '--dry-run'],
  ['-p --account --context --env --environment', '--profile'],
  ['-R --repo --shop --store-id --project', '--store'],
  ['--url --host --hostname --endpoint --api-url --api-base --server', '--base-url'],
  ['--input --data --body -d', '--from-file'],
  ['--filter --state --status', '--status'],
  ['--filter --state --status', '--state'],
];

/** What to do instead of flags that no command has. */
const explained: readonly (readonly [typed: string, advice: string])[] = [
  ['-y --yes -f --force --assume-yes', 'to confirm without a prompt, add --confirm'],
  ['--color --colour --no-color --no-colour', 'to print without colors, set NO_COLOR=1'],
  ['--no-pager', 'to print without a pager, set PAGER=cat'],
  [
    '--key --api-key --token --password --secret',
    `a key is never a flag: set STORECTL_API_KEY, or run ${quoteCommand('auth', 'login')}`,
  ],
];

/** What to type instead of a flag that the command does not have, or null. */
export async function hintForFlag(unknown: string, argv: readonly string[]): Promise<string | null> {
  const end = argv.indexOf('--');
  const words = argv.slice(0, end === -1 ? argv.length : end);
  // The parser takes `-quiet` for `-q -uiet`.
  const whole =
    words.find((word) => /^-[^-]/.test(word) && word.length > 2 && word.endsWith(unknown.slice(1))) ??
    unknown;
  const [typed = ''] = whole.split('=');
  const { own, all } = await optionsOf(words);
  const has = (flag: string) => all.some((option) => option.flag === flag);
  if (typed === '--jq') return hintForJq(words);
  const advice = explained.find(([flags]) => isIn(flags, typed))?.[1];
  if (advice !== undefined) return advice;
  const long = typed.replace(/^-(?=[^-])/, '--');
  if (long === '--help') return 'did you mean `--help`?';
  if (long !== typed && has(long)) return didYouMean([long]);
  const isLetter = typed.length === 2;
  const beginning = (options: readonly OptionSpec[]) =>
    options.map(({ flag }) => flag).filter((flag) => isLetter && flag.startsWith(`-${typed}`));
  const elsewhere = flagsElsewhere.filter(([flags, here]) => isIn(flags, typed) && has(here));
  const found = [beginning(own), [...new Set(elsewhere.map(([, here]) => here))], beginning(all)].find(
    ({ length }) => length > 0,
  );
  if (found !== undefined) return didYouMean(found);
  if (isLetter) return null;
  const parts = own.map(({ flag }) => flag).filter((flag) => `${flag}-`.includes(`-${typed.slice(2)}-`));
  const typedName = typed.slice(2);
  const hasTypo = (flag: string) => flag.split('-').some((word) => isTypo(word, typedName));
  const near = nearestFirst(own.map(({ flag }) => flag).filter(hasTypo), typed).slice(0, maxOffered);
  return didYouMean(parts.length > 0 ? parts : near);
}

/** More would be the help. */
const maxOffered = 3;

function didYouMean(flags: readonly string[]): string | null {
  if (flags.length === 0 || flags.length > maxOffered) return null;
  const quoted = flags.map((flag) => `\`${flag}\``);
  return `did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(quoted)}?`;
}

/** `--jq` and its value replaced by the program of that name. */
function hintForJq(words: readonly string[]): string {
  const { known } = follow(words.filter((word) => !word.startsWith('-')));
  const command = known.length === 0 ? ['COMMAND'] : known;
  return `for some fields: --fields A,B; for a filter: ${quoteCommand(...command, '--json', '|', 'jq', "'FILTER'")}`;
}

const isIn = (flags: string, typed: string) => flags.split(' ').includes(typed);

/** The options of the command that was typed, as far as it is known, and those of every command. */
async function optionsOf(
  words: readonly string[],
): Promise<{ readonly own: readonly OptionSpec[]; readonly all: readonly OptionSpec[] }> {
  let entry: (typeof tree)[string] | undefined;
  for (const word of follow(words.filter((one) => !one.startsWith('-'))).known)
    entry = (entry !== undefined && isGroup(entry) ? entry.commands : tree)[word];
  if (entry === undefined || isGroup(entry)) return { own: [], all: globalOptions };
  const { command } = await entry.load();
  const refused = refusedFlags(command);
  const own = command.options ?? [];
  return { own, all: [...own, ...globalOptions.filter(({ flag }) => !refused.includes(flag))] };
}
