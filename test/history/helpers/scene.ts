import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../../src/base/files/files.ts';
import type { Client } from '../../../src/client/client-types.ts';
import type { Outcome } from '../../../src/client/outcome/outcome.ts';
import { createBackup, restoreBackup } from '../../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { decideDispute, openDispute } from '../../../src/contract/operations/disputes.ts';
import { addEndpoint, markNotificationsRead } from '../../../src/contract/operations/notifications.ts';
import { appealReclaim } from '../../../src/contract/operations/reclaims.ts';
import { saveSettings } from '../../../src/contract/operations/settings.ts';
import { updateStore } from '../../../src/contract/operations/store.ts';
import { type RecordOptions, recordChange } from '../../../src/history/changes/change.ts';
import type { FailedSafetyBackup, RecordedChange } from '../../../src/history/changes/change-result.ts';
import { type ResumeOptions, type ResumeResult, resumeRecord } from '../../../src/history/changes/resume.ts';
import { openHistory, type StoreHistory } from '../../../src/history/history.ts';
import type { ChangeRequest } from '../../../src/history/record/change-request.ts';
import type { HistoryRecord } from '../../../src/history/record/history-record.ts';
import { skippingClient } from './skipping-client.ts';
import { type Reaction, type Received, type StoreServer, startStoreServer } from './store-server.ts';

export const store = { baseUrl: 'https://api.example.com', storeId: 'store-1' };

export const backup = { operation: createBackup, body: { label: 'nightly', sections: ['store'] } };
export const restore = {
  operation: restoreBackup,
  parameters: { backupId: 'b-1' },
  body: { sections: ['store'] },
};
export const post = { operation: createBlogPost, body: { title: 'Hello', contentMd: 'World' } };
export const dispute = { operation: openDispute, body: { kind: 'payment', reason: 'Not delivered' } };
export const decision = {
  operation: decideDispute,
  parameters: { disputeId: 'd-1' },
  body: { status: 'won', resolution: 'Delivered' },
};
export const endpoint = {
  operation: addEndpoint,
  body: { kind: 'discord', name: 'Team', url: 'https://discord.com/api/webhooks/1/x', events: ['digest'] },
};
export const appeal = {
  operation: appealReclaim,
  parameters: { reclaimId: 'r-1' },
  body: { text: 'The shop is open' },
};
export const rename = (name: string) => ({ operation: updateStore, body: { name } });
export const update = (body: Readonly<Record<string, unknown>>) => ({ operation: updateStore, body });
export const markRead = { operation: markNotificationsRead, body: { ids: ['n-1'] } };
/** The settings that {@link save} replaces, and what it makes of them. */
export const replacedSettings = { showcase: { enabled: false }, links: ['a', 'b'], updatedAt: 'then' };
const wantedSettings = { showcase: { enabled: true }, links: ['a', 'b'] };
export const save = {
  operation: saveSettings,
  body: wantedSettings,
  ifMatch: '"1"',
  replaced: replacedSettings,
};
/** With a key of the user's own. */
export const withKey = <Request extends { body: object }>(request: Request, idempotencyKey = 'mine') => ({
  ...request,
  body: { ...request.body, idempotencyKey },
});
export const hour = 3_600_000;
export const safetyLabel = 'Safety backup';

/** A machine with the history of a store, a client whose waits take no time, and a service whose reactions the test chooses. */
export interface HistoryScene {
  readonly folder: string;
  readonly client: Client;
  readonly server: StoreServer;
  /** How the service answers; a test may change it at any time. */
  react: (request: Received, number: number) => Reaction | Promise<Reaction>;
  /** How far this machine's clock is ahead, in milliseconds. */
  ahead: number;
  /** The history as a new process finds it. */
  open(fileSystem?: FileSystem): StoreHistory;
  /** As a command in its own process: the outcome is reported at the end. */
  change(
    request: ChangeRequest,
    options?: Partial<RecordOptions> & { fileSystem?: FileSystem },
  ): Promise<RecordedChange>;
  /** As {@link change}, of a change whose safety backup fails. */
  changeWithoutBackup(...parameters: Parameters<HistoryScene['change']>): Promise<FailedSafetyBackup>;
  /** As a process that is killed before it has reported the outcome. */
  changeAndDie(request: ChangeRequest, options?: Partial<RecordOptions>): Promise<RecordedChange>;
  /** What a killed process leaves: its locks are broken by the next one. */
  kill(): void;
  resume(id: string, options?: Partial<ResumeOptions> & { fileSystem?: FileSystem }): Promise<ResumeResult>;
  /** Runs with the history of one process, which ends after it. */
  use<Found>(run: (history: StoreHistory) => Promise<Found>): Promise<Found>;
  /** The records as a new process finds them, oldest first. */
  records(): HistoryRecord[];
  /** As {@link change}, in a process that goes on. */
  begin(
    history: StoreHistory,
    request: ChangeRequest,
    options?: Partial<RecordOptions>,
  ): Promise<RecordedChange>;
  /** The scene's client, with something done before and after each request. */
  clientThat(after: (outcome: Outcome) => Promise<Outcome>, before?: () => void): Client;
  /** Names of the logs. */
  files(): string[];
  /** Names of the locks that are held. */
  locks(): string[];
  methods(): string[];
}

export async function setHistoryScene(react: HistoryScene['react'] = () => 'answer'): Promise<HistoryScene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-scene-'));
  const server = await startStoreServer((request, number) => scene.react(request, number));
  const { client } = skippingClient(server.url);
  const now = () => Date.now() + scene.ahead;
  const open = (fileSystem = nodeFileSystem) =>
    openHistory({ folder, store, profile: 'main', process, now, fileSystem });
  async function use<Found>(
    run: (history: StoreHistory) => Promise<Found>,
    fileSystem?: FileSystem,
  ): Promise<Found> {
    const history = open(fileSystem);
    try {
      return await run(history);
    } finally {
      await history.end();
    }
  }
  const common = { client, settlePauseMs: 1 };
  const record = async (history: StoreHistory, request: ChangeRequest, options?: Partial<RecordOptions>) => {
    const changed = await recordChange(history, request, { ...common, ...options });
    if (changed.kind !== 'change') throw new Error('only the safety backup was sent');
    return changed;
  };
  const scene: HistoryScene = {
    folder,
    client,
    server,
    react,
    ahead: 0,
    open,
    change: (request, { fileSystem, ...options } = {}) =>
      use((history) => record(history, request, options), fileSystem),
    changeWithoutBackup: (request, { fileSystem, ...options } = {}) =>
      use(async (history) => {
        const changed = await recordChange(history, request, { ...common, ...options });
        if (changed.kind !== 'safety_backup') throw new Error('the change was sent');
        return changed;
      }, fileSystem),
    async changeAndDie(request, options) {
      const changed = await record(open(), request, options);
      scene.kill();
      return changed;
    },
    kill: () => rmSync(path.join(folder, 'locks'), { recursive: true, force: true }),
    begin: record,
    clientThat: (after, before = () => {}) => ({
      ...client,
      async send(...parameters) {
        before();
        return after(await client.send(...parameters));
      },
    }),
    resume: (id, { fileSystem, ...options } = {}) =>
      use((history) => resumeRecord(history, id, { client, settlePauseMs: 1, ...options }), fileSystem),
    use,
    records: () => open().snapshot().list().records.reverse(),
    files: () => readdirSync(folder).filter((name) => name.endsWith('.jsonl')),
    locks: () => {
      const locks = path.join(folder, 'locks');
      return existsSync(locks) ? readdirSync(locks) : [];
    },
    methods: () => server.received.map(({ method }) => method),
  };
  onTestFinished(async () => {
    await client.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return scene;
}

/** A promise, and what resolves it. */
export function signalled(): { readonly done: Promise<void>; readonly give: () => void } {
  let give = () => {};
  const done = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { done, give };
}
