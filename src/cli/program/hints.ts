import { type Group, isGroup, tree } from './command-tree.ts';

/** What people type first, and the command that serves. */
const serving = new Map(
  Object.entries({
    '-v': '--version',
    version: '--version',
    login: 'auth login',
    signin: 'auth login',
    init: 'auth login',
    setup: 'auth login',
    logout: 'auth logout',
    whoami: 'auth status',
    status: 'auth status',
    'auth show': 'auth status',
    'auth whoami': 'auth status',
    'auth list': 'profile list',
    config: 'profile show',
    list: 'history list',
    ls: 'history list',
    log: 'history list',
    logs: 'history list',
    update: 'store update',
    restore: 'backup restore',
    decide: 'disputes decide',
    appeal: 'reclaim appeal',
    retry: 'resume',
    continue: 'resume',
    request: 'api',
    curl: 'api',
    check: 'doctor',
    serve: 'service start',
    server: 'service start',
    start: 'service start',
    key: 'service keys list',
    keys: 'service keys list',
    'demo list': 'demo info',
    'demo show': 'demo info',
    'blog post': 'blog create',
    'notify read': 'notify mark-read',
    webhook: 'notify add-endpoint',
    webhooks: 'notify add-endpoint',
  }),
);

const postsAreOnlyCreated =
  'the service cannot change a post: run `storectl blog create --status published` to publish a new one';

const keysComeFromTheService =
  'create a new key in the settings of the store, then run `storectl auth login`; if you run the service yourself: `storectl service keys rotate`';

const nothingIsDeleted = 'the service cannot delete it';

const storesOfProfiles =
  'to see the stores of your profiles: `storectl profile list`; those of a service that you run: `storectl service stores list`';

/** A command that cannot exist, and what is there instead. */
const instead = new Map(
  Object.entries({
    'store show':
      'the service cannot show a store: run `storectl store update` in a terminal to see the last known values, or `storectl settings show` for the operations settings',
    store: storesOfProfiles,
    'store list': storesOfProfiles,
    'auth rotate-key': keysComeFromTheService,
    'auth rotate': keysComeFromTheService,
    'auth refresh': keysComeFromTheService,
    'backup remove': nothingIsDeleted,
    'blog remove': nothingIsDeleted,
    'blog publish': postsAreOnlyCreated,
    'blog update': postsAreOnlyCreated,
    'blog edit': postsAreOnlyCreated,
    'blog set': postsAreOnlyCreated,
  }),
);

const nouns = new Map(
  Object.entries({
    stores: 'store',
    post: 'blog',
    posts: 'blog',
    setting: 'settings',
    dispute: 'disputes',
    backups: 'backup',
    reclaims: 'reclaim',
    notification: 'notify',
    notifications: 'notify',
    endpoint: 'notify',
    endpoints: 'notify',
    profiles: 'profile',
  }),
);

const reading = ['show', 'list', 'status', 'info'];
const creating = ['create', 'open', 'add-endpoint'];
const changing = ['update', 'save', 'set', 'edit'];

/** Verbs with the same meaning, the likeliest first. */
const verbs = new Map<string, readonly string[]>(
  Object.entries({
    show: reading,
    get: reading,
    view: reading,
    read: reading,
    info: reading,
    list: ['list', 'show'],
    ls: ['list', 'show'],
    all: ['list', 'show'],
    create: creating,
    add: creating,
    new: creating,
    make: creating,
    update: changing,
    set: changing,
    edit: changing,
    change: changing,
    delete: ['remove', 'prune'],
    rm: ['remove', 'prune'],
  }),
);

/** What to run instead of a word that is no command or flag, or null. `argv` holds the word. */
export function hintFor(unknown: string, argv: readonly string[]): string | null {
  if (['-y', '--yes', '-f', '--force'].includes(unknown)) return 'to confirm without a prompt, add --confirm';
  if (['-o', '--output', '--format'].includes(unknown)) return 'did you mean `--json`?';
  const at = argv.indexOf(unknown);
  const before = argv.slice(0, at).find((word) => verbsOf(word).length > 0);
  const after = argv[at + 1]?.startsWith('-') ? undefined : argv[at + 1];
  const isSwapped = after !== undefined && verbsOf(nouns.get(after) ?? after).length > 0;
  const [first, verb] =
    before !== undefined ? [before, unknown] : isSwapped ? [after, unknown] : [unknown, after];
  const noun = nouns.get(first) ?? first;
  const typed = `${noun} ${verb === undefined ? '' : (verbs.get(verb)?.[0] ?? verb)}`.trim();
  const sentence = instead.get(typed);
  if (sentence !== undefined) return sentence;
  const command =
    serving.get(`${noun} ${verb}`) ?? serving.get(typed) ?? similar(noun, verb) ?? serving.get(noun);
  return command === undefined ? null : `did you mean \`storectl ${command}\`?`;
}

/** The command that shows the help of what was typed: of the verb, the noun, or the program. */
export function helpCommand(argv: readonly string[]): string {
  const known: string[] = [];
  let commands: Group['commands'] = tree;
  for (const word of argv.filter((given) => !given.startsWith('-'))) {
    const entry = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (entry === undefined) break;
    known.push(word);
    if (!isGroup(entry)) break;
    commands = entry.commands;
  }
  return ['storectl', ...known, '--help'].join(' ');
}

/** The command of a noun that does what the verb says: `disputes show` for `dispute get`. */
function similar(noun: string, verb: string | undefined): string | undefined {
  const there = verbsOf(noun);
  const wanted = verb === undefined ? ['list', 'show'] : [verb, ...(verbs.get(verb) ?? [])];
  const found = wanted.find((word) => there.includes(word));
  return found === undefined ? undefined : `${noun} ${found}`;
}

function verbsOf(noun: string): readonly string[] {
  const entry = Object.hasOwn(tree, noun) ? tree[noun] : undefined;
  return entry !== undefined && isGroup(entry) ? Object.keys(entry.commands) : [];
}
