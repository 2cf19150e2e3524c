import type { CommandDefinition } from '../command/command-definition.ts';
import type { Program } from '../command/context.ts';

/** A command in the tree. Its definition is loaded on demand: when it runs or its help is shown. */
export interface Leaf {
  readonly summary: string;
  /** Its definition has a `tool`. */
  readonly isTool: boolean;
  load(): Promise<{ readonly command: CommandDefinition }>;
}

export interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

function leaf(summary: string, load: Leaf['load']): Leaf {
  return { summary, isTool: false, load };
}

/** A command that `storectl mcp` offers, too. */
function tool(summary: string, load: Leaf['load']): Leaf {
  return { summary, isTool: true, load };
}

/** The commands by name: a noun with its verbs, or a single word. In the order of the help. */
export const tree: Readonly<Record<string, Group | Leaf>> = {
  store: {
    summary: 'Change the store',
    commands: {
      update: tool('Change settings of the store', () => import('../../commands/store/update.ts')),
    },
  },
  blog: {
    summary: 'Create and list blog posts',
    commands: {
      create: tool('Create a blog post', () => import('../../commands/blog/create.ts')),
      list: tool('List known posts', () => import('../../commands/blog/list.ts')),
    },
  },
  settings: {
    summary: 'Show, compare and change the operations settings, such as quiet hours',
    commands: {
      show: tool('Show the operations settings', () => import('../../commands/settings/show.ts')),
      save: tool('Change the operations settings', () => import('../../commands/settings/save.ts')),
      diff: leaf('Show what a save would change', () => import('../../commands/settings/diff.ts')),
      edit: leaf(
        'Edit the operations settings in an editor',
        () => import('../../commands/settings/edit.ts'),
      ),
    },
  },
  disputes: {
    summary: 'Show, open, decide and list disputes',
    commands: {
      show: tool('Show a dispute with its evidence', () => import('../../commands/disputes/show.ts')),
      open: tool('Open a dispute record', () => import('../../commands/disputes/open.ts')),
      decide: tool('Record the decision on a dispute', () => import('../../commands/disputes/decide.ts')),
      list: tool('List known disputes', () => import('../../commands/disputes/list.ts')),
    },
  },
  backup: {
    summary: 'Create, restore and list backups',
    commands: {
      create: tool('Back up sections of the store', () => import('../../commands/backup/create.ts')),
      restore: tool('Restore sections from a backup', () => import('../../commands/backup/restore.ts')),
      list: tool('List known backups', () => import('../../commands/backup/list.ts')),
    },
  },
  reclaim: {
    summary: 'Appeal subdomain reclaim notices',
    commands: {
      appeal: tool('Appeal a reclaim notice', () => import('../../commands/reclaim/appeal.ts')),
      list: tool('List known reclaim notices', () => import('../../commands/reclaim/list.ts')),
    },
  },
  notify: {
    summary: 'Add notification endpoints and mark notifications as read',
    commands: {
      'add-endpoint': tool(
        'Add an endpoint that notifications are sent to',
        () => import('../../commands/notify/add-endpoint.ts'),
      ),
      'mark-read': tool('Mark notifications as read', () => import('../../commands/notify/mark-read.ts')),
      list: tool('List known endpoints', () => import('../../commands/notify/list.ts')),
    },
  },
  history: {
    summary: 'Show the changes sent from this machine',
    commands: {
      list: tool('List changes, newest first', () => import('../../commands/history/list.ts')),
      show: tool('Show what was sent and what came back', () => import('../../commands/history/show.ts')),
      repair: leaf('Move damaged records aside', () => import('../../commands/history/repair.ts')),
      prune: leaf('Remove old records', () => import('../../commands/history/prune.ts')),
    },
  },
  resume: tool(
    'Finish interrupted changes, and find out what was applied',
    () => import('../../commands/resume.ts'),
  ),
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
  mcp: leaf('Run an MCP server for AI assistants', () => import('../../commands/mcp/mcp.ts')),
  api: leaf('Make an authenticated API request', () => import('../../commands/api/api.ts')),
  doctor: leaf('Check settings, history and key', () => import('../../commands/doctor/doctor.ts')),
  completion: leaf('Print a shell completion script', () => import('../../commands/completion.ts')),
  demo: {
    summary: 'Inspect or reset the demo store',
    commands: {
      info: leaf('List what the demo store contains', () => import('../../commands/demo/info.ts')),
      reset: leaf('Replace the demo store with a new one', () => import('../../commands/demo/reset.ts')),
    },
  },
  service: {
    summary: 'Run the store management service',
    commands: {
      start: leaf('Start the service', () => import('../../commands/service/start/start.ts')),
      'create-store': leaf('Create a store', () => import('../../commands/service/create-store.ts')),
      stores: leaf('List the stores', () => import('../../commands/service/stores.ts')),
      'create-key': leaf(
        'Create an API key for a store',
        () => import('../../commands/service/keys/create-key.ts'),
      ),
      keys: leaf('List the API keys of a store', () => import('../../commands/service/keys/keys.ts')),
      'rotate-key': leaf(
        'Replace a key, keeping the old one valid for a while',
        () => import('../../commands/service/keys/rotate-key.ts'),
      ),
      'revoke-key': leaf('Revoke a key', () => import('../../commands/service/keys/revoke-key.ts')),
      'add-reclaim': leaf(
        'Add a reclaim notice for the subdomain of a store',
        () => import('../../commands/service/add-reclaim.ts'),
      ),
      'add-evidence': leaf(
        'Add evidence to a dispute',
        () => import('../../commands/service/add-evidence.ts'),
      ),
      emit: leaf(
        'Emit a feedback_digest or reclaim_noticed event',
        () => import('../../commands/service/emit.ts'),
      ),
      deliveries: leaf(
        'List or retry deliveries to endpoints',
        () => import('../../commands/service/deliveries.ts'),
      ),
      prune: leaf('Delete data past its retention period', () => import('../../commands/service/prune.ts')),
    },
  },
};

/** The tools, by their words. */
export const tools: Program['tools'] = new Map(
  Object.entries(tree).flatMap(([noun, entry]) =>
    (isGroup(entry) ? Object.entries(entry.commands) : [['', entry] as const])
      .filter(([, { isTool }]) => isTool)
      .map(([verb, { load }]) => [`${noun} ${verb}`.trim(), async () => (await load()).command] as const),
  ),
);

export function isGroup(entry: Group | Leaf): entry is Group {
  return 'commands' in entry;
}
