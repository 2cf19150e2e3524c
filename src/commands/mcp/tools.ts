import type { Operation } from '../../contract/operation.ts';
import { pathParameters } from '../../contract/operation.ts';
import { decideDispute, showDispute } from '../../contract/operations/disputes.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { operations } from '../../contract/operations.ts';
import { recordStates } from '../../history/records/record.ts';

/** JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** An input of a tool that becomes an option of its command. */
interface OptionInput {
  readonly flag: string;
  readonly schema: Schema;
}

/** A tool: a command of the program with inputs in JSON. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The command: `disputes decide`. */
  readonly words: readonly string[];
  /** The operation that it sends, which `--allow` must name; null for a tool that changes nothing in the store. */
  readonly write: Operation | null;
  /** The inputs that the command takes as arguments, in order. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, OptionInput>>;
  /** Schema of the request body, whose fields are inputs of the tool; null if there is none. */
  readonly body: Operation['body'];
  /** Input whose value must be repeated to confirm. */
  readonly confirm: string | null;
  /** What the user has to know before confirming. */
  readonly effect: string;
  /** Input that is a list of rows, given to the command as JSON lines. */
  readonly rows: { readonly name: string; readonly schema: Schema } | null;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** What to do after it was applied. */
  readonly after: string | null;
}

type Row = Pick<Tool, 'description'> & Partial<Omit<Tool, 'name' | 'words' | 'description'>>;

const id = (description: string): Schema => ({ type: 'string', description });

const undo: Record<string, OptionInput> = {
  undo: {
    flag: '--undo',
    schema: id('Instead of fields: the history id of an earlier change, whose former values are restored'),
  },
};

const cannotBeUndone = 'It cannot be undone.';

function tool(words: string, row: Row): Tool {
  return {
    ...{ name: words.replace(/[ .-]/g, '_'), words: words.split(' ').slice(0, 2) },
    ...{
      write: null,
      positionals: [],
      options: {},
      body: null,
      confirm: null,
      effect: cannotBeUndone,
      rows: null,
    },
    ...{ destructive: false, idempotent: true, after: null, ...row },
  };
}

const decisionSchema: Schema = {
  type: 'object',
  properties: {
    disputeId: id('ID of the dispute'),
    status: id('Outcome of the dispute: won, lost or withdrawn'),
    resolution: id('Reason for the decision'),
  },
  required: ['disputeId', 'status', 'resolution'],
};

const limit: Record<string, OptionInput> = {
  limit: { flag: '--limit', schema: { type: 'integer', minimum: 1, description: 'Default 50' } },
};

/** What this machine knows of each noun, for the tool that lists it. */
const lists = {
  ...{ backup: 'backups', disputes: 'disputes', blog: 'blog posts' },
  ...{ notify: 'notification endpoints', reclaim: 'reclaim notices' },
};

const reads: readonly Tool[] = [
  ...Object.entries(lists).map(([noun, what]) =>
    tool(`${noun} list`, {
      description: `List the ${what} that this machine knows, as it last saw them. The service cannot list them.`,
      options: limit,
    }),
  ),
  tool('settings show', { description: 'Show the operations settings of the store.' }),
  tool('settings diff', {
    description: 'Show what settings_save would change, given the same fields. Changes nothing.',
    body: saveSettings.body,
  }),
  tool('disputes show', {
    description: 'Show a dispute with its evidence. Read it before you propose a decision.',
    positionals: pathParameters(showDispute).slice(1),
  }),
  tool('history list', {
    description: `List the changes that this machine has sent to the store, newest first. For records in the state unknown
or sent, call resume.`,
    options: {
      operation: { flag: '--operation', schema: id('Show only this operation, for example backup.create') },
      state: { flag: '--state', schema: { type: 'string', enum: recordStates } },
      ...limit,
    },
  }),
  tool('history show', {
    description: 'Show one change: what was sent and what the service returned.',
    positionals: ['id'],
  }),
  tool('doctor', { description: 'Check settings, history and key.' }),
  tool('resume', {
    description: `Settle a change whose outcome is unknown, by its history id. It reads from the store. It sends again, with
the same idempotency key, only if that operation is allowed.`,
    positionals: ['id'],
  }),
];

const guarded = `Ask the user for the decision. ${cannotBeUndone}`;
const restoreEffect = 'It replaces the current data of these sections; a safety backup is taken first.';

/** What is particular to a write. The rest comes from the contract. */
const writeRows: Readonly<Record<string, Partial<Row> & { readonly guard?: string }>> = {
  'store.update': { options: undo, destructive: true, after: 'To undo it: store_update with undo.' },
  'settings.save': {
    options: undo,
    destructive: true,
    after: 'To undo it: settings_save with undo.',
    description:
      'Save the operations settings. Only the fields that you set are changed. Call settings_diff to see what would change.',
  },
  'blog.create': { guard: 'The same post within 24 hours is refused.' },
  'disputes.decide': {
    ...{ confirm: 'disputeId', destructive: true, idempotent: true },
    guard: `${guarded} Read disputes_show first.`,
  },
  'backup.create': { after: 'Note the id of the backup: backup_restore needs it.' },
  'backup.restore': {
    ...{ confirm: 'backupId', destructive: true, effect: restoreEffect },
    guard: `Ask the user before you restore. ${restoreEffect}`,
    after: 'The notes name the safety backup. Restoring that backup undoes this restore.',
  },
  'reclaim.appeal': {
    confirm: 'reclaimId',
    destructive: true,
    guard: `${guarded} A notice allows one appeal.`,
  },
  'notify.add-endpoint': { guard: 'The same endpoint within 24 hours is refused.' },
  'notify.mark-read': {
    options: {
      all: {
        flag: '--all',
        schema: { type: 'boolean', description: 'Mark all notifications, instead of ids or before' },
      },
    },
  },
};

const writes: readonly Tool[] = operations
  .filter((operation) => operation.class !== 'read')
  .map((operation: Operation) => {
    const { guard, ...row } = writeRows[operation.id] ?? {};
    return tool(operation.id.replace('.', ' '), {
      description: [`${operation.summary}.`, guard].filter(Boolean).join(' '),
      write: operation,
      body: operation.body,
      positionals: pathParameters(operation).slice(1),
      idempotent: operation.class === 'repeatable',
      ...row,
    });
  });

const batches: readonly Tool[] = [
  tool('disputes decide many', {
    description: `Record the decisions of several disputes. ${guarded} A dry run shows the plan. The same call again
continues where an earlier one stopped.`,
    write: decideDispute,
    options: {
      confirm: {
        flag: '--confirm',
        schema: {
          type: 'integer',
          description:
            'The number of decisions, after the user has confirmed them. Ignored if the client can ask the user itself.',
        },
      },
    },
    rows: { name: 'decisions', schema: { type: 'array', minItems: 1, items: decisionSchema } },
    destructive: true,
  }),
];

export const tools: readonly Tool[] = [...reads, ...writes, ...batches];

/** The operations that `--allow` may name. */
export const writeOperations: readonly string[] = writes.flatMap(({ write }) => write?.id ?? []);
