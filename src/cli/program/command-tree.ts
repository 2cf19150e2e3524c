import type { CommandDefinition } from '../command/command-definition.ts';

/** A command in the tree. Its definition is loaded on demand: when it runs or its help is shown. */
export interface Leaf {
  readonly summary: string;
  load(): Promise<{ readonly command: CommandDefinition }>;
}

export interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Leaf>>;
}

/** The commands by name: a noun with its verbs, or a single word. In the order of the help. */
export const tree: Readonly<Record<string, Group | Leaf>> = {
  store: {
    summary: 'Change the store',
    commands: {
      update: {
        summary: 'Change settings of the store',
        load: () => import('../../commands/store/update.ts'),
      },
    },
  },
  blog: {
    summary: 'Create blog posts',
    commands: {
      create: { summary: 'Create a blog post', load: () => import('../../commands/blog/create.ts') },
    },
  },
  settings: {
    summary: 'Show, compare and change the operations settings, such as quiet hours',
    commands: {
      show: {
        summary: 'Show the operations settings',
        load: () => import('../../commands/settings/show.ts'),
      },
      save: {
        summary: 'Change the operations settings',
        load: () => import('../../commands/settings/save.ts'),
      },
      diff: {
        summary: 'Show what a save would change',
        load: () => import('../../commands/settings/diff.ts'),
      },
      edit: {
        summary: 'Edit the operations settings in an editor',
        load: () => import('../../commands/settings/edit.ts'),
      },
    },
  },
  disputes: {
    summary: 'Show, open and decide disputes',
    commands: {
      show: {
        summary: 'Show a dispute with its evidence',
        load: () => import('../../commands/disputes/show.ts'),
      },
      open: { summary: 'Open a dispute record', load: () => import('../../commands/disputes/open.ts') },
      decide: {
        summary: 'Record the decision of a dispute',
        load: () => import('../../commands/disputes/decide.ts'),
      },
    },
  },
  backup: {
    summary: 'Create and restore backups',
    commands: {
      create: {
        summary: 'Back up sections of the store',
        load: () => import('../../commands/backup/create.ts'),
      },
      restore: {
        summary: 'Restore sections of a backup',
        load: () => import('../../commands/backup/restore.ts'),
      },
    },
  },
  reclaim: {
    summary: 'Appeal notices that reclaim the subdomain',
    commands: {
      appeal: { summary: 'Appeal a reclaim notice', load: () => import('../../commands/reclaim/appeal.ts') },
    },
  },
  notify: {
    summary: 'Add notification endpoints, mark notifications read',
    commands: {
      'add-endpoint': {
        summary: 'Add an endpoint that notifications are sent to',
        load: () => import('../../commands/notify/add-endpoint.ts'),
      },
      'mark-read': {
        summary: 'Mark notifications read',
        load: () => import('../../commands/notify/mark-read.ts'),
      },
    },
  },
  history: {
    summary: 'Show what this machine has sent',
    commands: {
      list: { summary: 'List changes, newest first', load: () => import('../../commands/history/list.ts') },
      show: {
        summary: 'Show what was sent and what came back',
        load: () => import('../../commands/history/show.ts'),
      },
      repair: {
        summary: 'Move damaged records aside',
        load: () => import('../../commands/history/repair.ts'),
      },
      prune: { summary: 'Remove old records', load: () => import('../../commands/history/prune.ts') },
    },
  },
  resume: {
    summary: 'Settle changes with an unknown outcome',
    load: () => import('../../commands/resume.ts'),
  },
  auth: {
    summary: 'Log in and out, show the key in use',
    commands: {
      login: {
        summary: 'Store a key, after checking it',
        load: () => import('../../commands/auth/login.ts'),
      },
      logout: { summary: 'Remove the stored key', load: () => import('../../commands/auth/logout.ts') },
      status: {
        summary: 'Show which store and key are used',
        load: () => import('../../commands/auth/status.ts'),
      },
    },
  },
  profile: {
    summary: 'Manage profiles, one for each store',
    commands: {
      list: { summary: 'List the profiles', load: () => import('../../commands/profile/list.ts') },
      use: {
        summary: 'Choose the default profile',
        load: () => import('../../commands/profile/use.ts'),
      },
      show: { summary: 'Show a profile', load: () => import('../../commands/profile/show.ts') },
      set: {
        summary: 'Set the address or the store of a profile',
        load: () => import('../../commands/profile/set.ts'),
      },
      remove: {
        summary: 'Remove a profile and its key',
        load: () => import('../../commands/profile/remove.ts'),
      },
    },
  },
  api: { summary: 'Send any request with the key', load: () => import('../../commands/api/api.ts') },
  doctor: {
    summary: 'Find problems with the setup',
    load: () => import('../../commands/doctor/doctor.ts'),
  },
  completion: {
    summary: 'Print the completion script of a shell',
    load: () => import('../../commands/completion.ts'),
  },
  demo: {
    summary: 'Inspect or reset the demo store',
    commands: {
      info: {
        summary: 'List what the demo store contains',
        load: () => import('../../commands/demo/info.ts'),
      },
      reset: {
        summary: 'Replace the demo store with a new one',
        load: () => import('../../commands/demo/reset.ts'),
      },
    },
  },
  service: {
    summary: 'Run the store management service',
    commands: {
      start: { summary: 'Start the service', load: () => import('../../commands/service/start/start.ts') },
      'create-store': {
        summary: 'Create a store',
        load: () => import('../../commands/service/create-store.ts'),
      },
      stores: { summary: 'List the stores', load: () => import('../../commands/service/stores.ts') },
      'create-key': {
        summary: 'Create a key to a store',
        load: () => import('../../commands/service/keys/create-key.ts'),
      },
      keys: {
        summary: 'List the keys to a store',
        load: () => import('../../commands/service/keys/keys.ts'),
      },
      'rotate-key': {
        summary: 'Replace a key; the old one stays valid for a while',
        load: () => import('../../commands/service/keys/rotate-key.ts'),
      },
      'revoke-key': {
        summary: 'Revoke a key',
        load: () => import('../../commands/service/keys/revoke-key.ts'),
      },
      'add-reclaim': {
        summary: 'Add a notice that reclaims the subdomain of a store',
        load: () => import('../../commands/service/add-reclaim.ts'),
      },
      'add-evidence': {
        summary: 'Add evidence to a dispute',
        load: () => import('../../commands/service/add-evidence.ts'),
      },
      emit: {
        summary: 'Emit an event that no operation emits',
        load: () => import('../../commands/service/emit.ts'),
      },
      deliveries: {
        summary: 'List or retry deliveries to endpoints',
        load: () => import('../../commands/service/deliveries.ts'),
      },
    },
  },
};

export function isGroup(entry: Group | Leaf): entry is Group {
  return 'commands' in entry;
}
