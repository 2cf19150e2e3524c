import { isTypo, nearName } from '../../base/nearest-name.ts';
import { quoteCommand } from '../core/command-text.ts';
import { follow, tree } from './command-tree.ts';
import { topics } from './topics.ts';

/** Words for the same, by what they stand for: each key is followed by what people type instead. */
function invert(meanings: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(meanings).flatMap(([meant, typed]) => typed.map((word) => [word, meant])));
}

/** The command that serves, and what people type first. */
const aliases = invert({
  version: ['-v'],
  'help environment': ['env', 'variables'],
  'help exit-codes': ['exitcodes', 'codes'],
  'help scripts': ['ci', 'cron', 'scripting'],
  'auth login': ['login', 'signin', 'init', 'setup'],
  'auth logout': ['logout'],
  'auth status': ['whoami', 'status', 'info', 'auth show', 'auth whoami', 'auth key', 'auth token'],
  'profile list': ['auth list'],
  'profile show': ['config'],
  'profile set': ['config set'],
  'history list': ['log', 'logs'],
  'store update': ['update'],
  'backup restore': ['restore'],
  'disputes decide': ['decide', 'disputes close', 'disputes resolve'],
  'reclaim appeal': ['appeal'],
  resume: ['retry', 'continue'],
  api: ['request', 'curl'],
  doctor: ['check'],
  'service start': ['serve', 'server', 'start'],
  'service keys list': ['key', 'keys'],
  'demo info': ['demo list', 'demo show'],
  'blog create': ['blog post', 'import', 'blog import'],
  'completion install': ['completions'],
  'notify mark-read': ['notify read'],
  'notify add-endpoint': ['webhook', 'webhooks'],
});

const postsAreOnlyCreated = `the service cannot change a post: run ${quoteCommand('blog', 'create', '--status', 'published')} to publish a new one`;

const keysComeFromTheService = `create a new key in the settings of the store, then run ${quoteCommand('auth', 'login')}; if you run the service yourself: ${quoteCommand('service', 'keys', 'rotate')}`;

const storesOfProfiles = `to see the stores of your profiles: ${quoteCommand('profile', 'list')}; those of a service that you run: ${quoteCommand('service', 'stores', 'list')}`;

/** A command that cannot exist, and what is there instead. */
const explanations = new Map(
  Object.entries({
    store: storesOfProfiles,
    'store list': storesOfProfiles,
    'auth rotate-key': keysComeFromTheService,
    'auth rotate': keysComeFromTheService,
    'auth refresh': keysComeFromTheService,
    'backup remove': 'backups cannot be deleted',
    'blog remove': 'posts cannot be deleted',
    'blog publish': postsAreOnlyCreated,
    'blog update': postsAreOnlyCreated,
  }),
);

const nouns = invert({
  store: ['stores'],
  blog: ['post', 'posts'],
  settings: ['setting'],
  disputes: ['dispute'],
  backup: ['backups'],
  reclaim: ['reclaims'],
  notify: ['notification', 'notifications', 'endpoint', 'endpoints'],
  profile: ['profiles'],
});

/** Verbs with the same meaning: what people type, and what there is, the likeliest first. */
const verbGroups: readonly (readonly [typed: string, there: readonly string[]])[] = [
  ['show get view read info', ['show', 'list', 'status', 'info']],
  ['list ls all', ['list', 'show']],
  ['create add new make', ['create', 'open', 'add-endpoint']],
  ['update set edit change', ['update', 'save', 'set', 'edit']],
  ['delete rm', ['remove', 'prune']],
];

const verbs: ReadonlyMap<string, readonly string[]> = new Map(
  verbGroups.flatMap(([typed, there]) => typed.split(' ').map((verb) => [verb, there])),
);

/**
 * What to run instead of a word that is no command or flag, or null. `argv` holds the word. `similar` are commands or flags that the
 * parser holds for similar: of commands, only those that were probably meant count.
 */
export function hintFor(
  unknown: string,
  argv: readonly string[],
  similar: readonly string[] = [],
): string | null {
  return (
    known(unknown, argv) ??
    nearFirstWord(unknown, argv) ??
    didYouMean(
      similar.filter((name) => isMeant(name, unknown)),
      '',
    )
  );
}

/** What the first word of a command was probably meant to be: a noun, a topic, `help`, or a word that stands for a command. */
function nearFirstWord(unknown: string, argv: readonly string[]): string | null {
  const isFirst = argv.find((word) => !word.startsWith('-') && word !== 'help') === unknown;
  if (!isFirst || unknown.startsWith('-')) return null;
  const names = [...Object.keys(tree), 'help', ...Object.keys(topics)];
  const words = [...aliases.keys(), ...verbs.keys()].filter((word) => /^[a-z]+$/.test(word));
  const near =
    [...names, ...words].find((name) => isShortened(name, unknown)) ??
    nearName(names, unknown) ??
    words.find((word) => isTypo(word, unknown));
  if (near === undefined || near === null) return null;
  if (Object.hasOwn(topics, near)) return didYouMean([`help ${near}`]);
  return names.includes(near) ? didYouMean([near], '') : known(near, [near]);
}

/** Whether letters of a name were left out: some at its end, or one here and there. */
function isShortened(name: string, typed: string): boolean {
  if (typed.length < 3 || !/^[a-z-]+$/.test(typed)) return false;
  return name.startsWith(typed) || new RegExp(`^${[...typed].join('.?')}.?$`).test(name);
}

function isMeant(name: string, typed: string): boolean {
  const isBeginning = typed.length >= 3 && name.startsWith(typed);
  return name.startsWith('-') || isBeginning || nearName([name], typed) !== null;
}

function didYouMean(commands: readonly string[], before = 'storectl '): string | null {
  const quoted = commands.map((command) => `\`${before}${command}\``);
  const last = quoted.pop();
  if (last === undefined) return null;
  return `did you mean ${[quoted.join(', '), last].filter(Boolean).join(' or ')}?`;
}

function known(unknown: string, argv: readonly string[]): string | null {
  const at = argv.indexOf(unknown);
  const before = argv.slice(0, at).find((word) => verbsOf(word).length > 0);
  const after = argv[at + 1]?.startsWith('-') ? undefined : argv[at + 1];
  const isSwapped = after !== undefined && verbsOf(nouns.get(after) ?? after).length > 0;
  const [first, verb] =
    before !== undefined ? [before, unknown] : isSwapped ? [after, unknown] : [unknown, after];
  const noun = nouns.get(first) ?? first;
  const typed = `${noun} ${verb === undefined ? '' : (verbs.get(verb)?.[0] ?? verb)}`.trim();
  const sentence = explanations.get(typed);
  if (sentence !== undefined) return sentence;
  const command =
    aliases.get(`${noun} ${verb}`) ?? aliases.get(typed) ?? similar(noun, verb) ?? aliases.get(noun);
  if (command !== undefined) return didYouMean([command]);
  const commands = at === 0 ? nounsWith(unknown) : [];
  return commands.length > 3
    ? `say of what, such as ${quoteCommand(commands[0] ?? '')}`
    : didYouMean(commands);
}

/** What to do where no command was meant for sure: the verbs of the noun, and where the help is. */
export function helpHint(argv: readonly string[]): string {
  const { known: words, commands } = follow(argv.filter((word) => !word.startsWith('-')));
  const help = `run ${helpCommand(argv)} for usage`;
  if (words.length === 0 || commands === null) return help;
  return `commands of ${words.join(' ')}: ${Object.keys(commands).join(', ')}; ${help}`;
}

/** The command that shows the help of what was typed: of the verb, the noun, or the program. */
function helpCommand(argv: readonly string[]): string {
  const { known: words } = follow(argv.filter((word) => !word.startsWith('-')));
  return quoteCommand(...words, '--help');
}

/** The command of a noun that does what the verb says: `disputes show` for `dispute get`. */
function similar(noun: string, verb: string | undefined): string | undefined {
  const there = verbsOf(noun);
  const wanted = verb === undefined ? ['list', 'show'] : [verb, ...(verbs.get(verb) ?? [])];
  const found = wanted.find((word) => there.includes(word));
  return found === undefined ? undefined : `${noun} ${found}`;
}

/** The commands whose verb this is, without those of the service. */
function nounsWith(verb: string): string[] {
  const wanted = [verb, ...(verbs.get(verb) ?? [])];
  const commands = Object.keys(tree)
    .filter((noun) => noun !== 'service')
    .flatMap((noun) => verbsOf(noun).map((word) => [noun, word] as const));
  const found = wanted.find((word) => commands.some(([, there]) => there === word));
  return commands.filter(([, there]) => there === found).map((words) => words.join(' '));
}

function verbsOf(noun: string): readonly string[] {
  const { known: words, commands } = follow([noun]);
  return words.length === 0 ? [] : Object.keys(commands ?? {});
}
