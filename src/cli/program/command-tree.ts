import type { CommandDefinition, Program } from '../command/command-definition.ts';

/** A command in the tree. Its definition is loaded on demand: when it runs or its help is shown. */
export interface Leaf {
  readonly summary: string;
  /** Its definition has a `tool`. */
  readonly isTool: boolean;
  load(): Promise<{ readonly command: CommandDefinition }>;
}

export interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf | Group>>;
}

function leaf(summary: string, load: Leaf['load']): Leaf {
  return { summary, isTool: false, load };
}

/** A command that `storectl mcp` offers, too. */
function tool(summary: string, load: Leaf['load']): Leaf {
  return { summary, isTool: true, load };
}

/** Prints the completion script of a shell. */
function scriptLeaf(shell: 'bash' | 'zsh' | 'fish' | 'powershell'): Leaf {
  return leaf(`Print the script for ${shell}`, async () => {
    const { scriptCommand } = await import('../../commands/completion/script.ts');
    return { command: scriptCommand(shell) };
  });
}

/** The commands by name: a noun with its verbs, or a single word. In the order of the help. */
export const tree: Readonly<Record<string, Group | Leaf>> = {
  store: {
    summary: 'Show and change the store',
    commands: {
      show: tool('Show the store and its settings', () => import('../../commands/store/show.ts')),
      update: tool('Change name, currency and so on', () => import('../../commands/store/update.ts')),
    },
  },
  blog: {
    summary: 'Create, list and show blog posts',
    commands: {
      create: tool('Create a blog post', () => import('../../commands/blog/create.ts')),
      list: tool('List the posts', () => import('../../commands/blog/list.ts')),
      show: tool('Show a post', () => import('../../commands/blog/show.ts')),
    },
  },
  settings: {
    summary: 'Show, compare and change settings such as quiet hours',
    commands: {
      show: tool('Show the operations settings', () => import('../../commands/settings/show.ts')),
      save: tool('Change the operations settings', () => import('../../commands/settings/save.ts')),
      diff: leaf('Show what a save would change', () => import('../../commands/settings/diff.ts')),
      edit: leaf('Edit the settings in an editor', () => import('../../commands/settings/edit.ts')),
    },
  },
  disputes: {
    summary: 'Show, open, decide and list disputes',
    commands: {
      show: tool('Show a dispute with its evidence', () => import('../../commands/disputes/show.ts')),
      open: tool('Open a dispute record', () => import('../../commands/disputes/open.ts')),
      decide: tool('Record the decision on a dispute', () => import('../../commands/disputes/decide.ts')),
      list: tool('List the disputes', () => import('../../commands/disputes/list.ts')),
    },
  },
  backup: {
    summary: 'Create, restore, list and show backups',
    commands: {
      create: tool('Back up sections of the store', () => import('../../commands/backup/create.ts')),
      restore: tool('Restore sections from a backup', () => import('../../commands/backup/restore.ts')),
      list: tool('List the backups', () => import('../../commands/backup/list.ts')),
      show: tool(
        'Show a backup, and what restoring it would change',
        () => import('../../commands/backup/show.ts'),
      ),
    },
  },
  reclaim: {
    summary: 'List and appeal subdomain reclaim notices',
    commands: {
      appeal: tool('Appeal a reclaim notice', () => import('../../commands/reclaim/appeal.ts')),
      list: tool('List the reclaim notices', () => import('../../commands/reclaim/list.ts')),
    },
  },
  notify: {
    summary: 'Add endpoints, list notifications and mark them as read',
    commands: {
      'add-endpoint': tool(
        'Add an endpoint that notifications are sent to',
        () => import('../../commands/notify/add-endpoint.ts'),
      ),
      'mark-read': tool('Mark notifications as read', () => import('../../commands/notify/mark-read.ts')),
      list: tool('List the endpoints', () => import('../../commands/notify/list.ts')),
      inbox: tool('List the notifications', () => import('../../commands/notify/inbox.ts')),
    },
  },
  api: leaf('Make an authenticated API request', () => import('../../commands/api/api.ts')),
  undo: tool('Take back the last change of the store', () => import('../../commands/undo.ts')),
  resume: tool(
    'Finish interrupted changes, and find out what was applied',
    () => import('../../commands/resume/resume.ts'),
  ),
  history: {
    summary: 'Show the changes sent from this machine',
    commands: {
      list: tool('List changes, newest first', () => import('../../commands/history/list.ts')),
      show: tool('Show what was sent and what came back', () => import('../../commands/history/show.ts')),
      repair: leaf('Repair damaged logs', () => import('../../commands/history/repair.ts')),
      prune: leaf('Remove old changes', () => import('../../commands/history/prune.ts')),
    },
  },
  auth: {
    summary: 'Log in, log out, and show which key is used',
    commands: {
      login: leaf('Store a key, after checking it', () => import('../../commands/auth/login.ts')),
      logout: leaf('Remove the stored key', () => import('../../commands/auth/logout.ts')),
      status: leaf('Show which store and key are used', () => import('../../commands/auth/status.ts')),
    },
  },
  profile: {
    summary: 'Manage profiles, one for each store',
    commands: {
      list: leaf('List the profiles', () => import('../../commands/profile/list.ts')),
      use: leaf('Choose the default profile', () => import('../../commands/profile/use.ts')),
      show: leaf('Show a profile', () => import('../../commands/profile/show.ts')),
      set: leaf('Set the base URL or the store of a profile', () => import('../../commands/profile/set.ts')),
      remove: leaf('Remove a profile and its key', () => import('../../commands/profile/remove.ts')),
    },
  },
  demo: {
    summary: 'Inspect or reset the demo store',
    commands: {
      info: leaf('List what the demo store contains', () => import('../../commands/demo/info.ts')),
      reset: leaf('Replace the demo store with a new one', () => import('../../commands/demo/reset.ts')),
    },
  },
  doctor: leaf('Check settings, history and key', () => import('../../commands/doctor.ts')),
  completion: {
    summary: 'Make Tab complete commands, flags and ids',
    commands: {
      install: leaf(
        'Install completion where the shell looks',
        () => import('../../commands/completion/install.ts'),
      ),
      bash: scriptLeaf('bash'),
      zsh: scriptLeaf('zsh'),
      fish: scriptLeaf('fish'),
      powershell: scriptLeaf('powershell'),
    },
  },
  mcp: leaf('Run an MCP server for AI assistants', () => import('../../commands/mcp/mcp.ts')),
  version: leaf('Print the version', () => import('../../commands/version.ts')),
  service: {
    summary: 'Run the store management service',
    commands: {
      start: leaf('Start the service', () => import('../../commands/service/start/start.ts')),
      backup: leaf('Copy the embedded database', () => import('../../commands/service/copies/backup.ts')),
      restore: leaf(
        'Put a copy in the place of the embedded database',
        () => import('../../commands/service/copies/restore.ts'),
      ),
      log: leaf('List what operators have changed', () => import('../../commands/service/log.ts')),
      stores: {
        summary: 'Create, list and delete stores',
        commands: {
          list: leaf('List the stores', () => import('../../commands/service/stores/list.ts')),
          create: leaf('Create a store, or many', () => import('../../commands/service/stores/create.ts')),
          delete: leaf('Delete a store', () => import('../../commands/service/stores/delete.ts')),
        },
      },
      keys: {
        summary: 'Create, list, replace and revoke API keys',
        commands: {
          list: leaf('List the API keys of a store', () => import('../../commands/service/keys/list.ts')),
          create: leaf(
            'Create an API key for a store, or for many',
            () => import('../../commands/service/keys/create.ts'),
          ),
          rotate: leaf(
            'Replace a key, keeping the old one valid for a while',
            () => import('../../commands/service/keys/rotate.ts'),
          ),
          revoke: leaf('Revoke a key', () => import('../../commands/service/keys/revoke.ts')),
        },
      },
      reclaims: {
        summary: 'List, add and close reclaim notices',
        commands: {
          list: leaf('List reclaim notices', () => import('../../commands/service/reclaims/list.ts')),
          add: leaf('Add a reclaim notice', () => import('../../commands/service/reclaims/add.ts')),
          close: leaf('Close a reclaim notice', () => import('../../commands/service/reclaims/close.ts')),
        },
      },
      disputes: {
        summary: 'List the disputes',
        commands: {
          list: leaf(
            'List the disputes of all stores',
            () => import('../../commands/service/disputes/list.ts'),
          ),
        },
      },
      evidence: {
        summary: 'Add evidence to disputes',
        commands: {
          add: leaf('Add evidence to a dispute', () => import('../../commands/service/evidence/add.ts')),
        },
      },
      backups: {
        summary: 'List and remove backups',
        commands: {
          list: leaf(
            'List the backups of all stores',
            () => import('../../commands/service/backups/list.ts'),
          ),
          remove: leaf('Remove a backup', () => import('../../commands/service/backups/remove.ts')),
        },
      },
      endpoints: {
        summary: 'List and remove endpoints',
        commands: {
          list: leaf(
            'List the endpoints of all stores',
            () => import('../../commands/service/endpoints/list.ts'),
          ),
          remove: leaf(
            'Remove an endpoint and erase its secret',
            () => import('../../commands/service/endpoints/remove.ts'),
          ),
        },
      },
      deliveries: {
        summary: 'List and retry messages to endpoints',
        commands: {
          list: leaf('List messages to endpoints', () => import('../../commands/service/deliveries/list.ts')),
          retry: leaf('Retry failed messages', () => import('../../commands/service/deliveries/retry.ts')),
        },
      },
      emit: leaf(
        'Emit a feedback_digest or reclaim_noticed event',
        () => import('../../commands/service/emit.ts'),
      ),
      prune: leaf('Delete data past its retention period', () => import('../../commands/service/prune.ts')),
    },
  },
};

/** The commands behind nouns, at any depth, by their words. */
export function leavesOf(commands: Group['commands']): (readonly [words: string, leaf: Leaf])[] {
  return Object.entries(commands).flatMap(([word, entry]) =>
    isGroup(entry)
      ? leavesOf(entry.commands).map(([words, leaf]) => [`${word} ${words}`, leaf] as const)
      : [[word, entry] as const],
  );
}

/** The tools, by their words. */
export const tools: Program['tools'] = new Map(
  leavesOf(tree)
    .filter(([, { isTool }]) => isTool)
    .map(([words, { load }]) => [words, async () => (await load()).command] as const),
);

/** The nouns and single words under the headings of the program's help. */
export const headings: Readonly<Record<string, readonly string[]>> = {
  'The store:': ['store', 'blog', 'settings', 'disputes', 'backup', 'reclaim', 'notify', 'api'],
  'Changes and history:': ['undo', 'resume', 'history'],
  'Setting up:': ['auth', 'profile', 'demo', 'doctor', 'completion', 'mcp', 'version'],
  'For operators:': ['service'],
};

/** Follows words as far as they name commands, to the commands below them; null below a command. */
export function follow(words: readonly string[]): {
  readonly known: readonly string[];
  readonly commands: Group['commands'] | null;
} {
  const known: string[] = [];
  let commands: Group['commands'] | null = tree;
  for (const word of words) {
    const entry: Group | Leaf | undefined =
      commands !== null && Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (entry === undefined) break;
    known.push(word);
    commands = isGroup(entry) ? entry.commands : null;
  }
  return { known, commands };
}

export function isGroup(entry: Group | Leaf): entry is Group {
  return 'commands' in entry;
}
