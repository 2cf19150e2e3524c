import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { createBackup, restoreBackup } from '../../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { decideDispute, openDispute } from '../../../src/contract/operations/disputes.ts';
import { addEndpoint } from '../../../src/contract/operations/notifications.ts';
import { appealReclaim } from '../../../src/contract/operations/reclaims.ts';
import { updateStore } from '../../../src/contract/operations/store.ts';
import { type Changed, type ChangeOptions, recordChange } from '../../../src/history/changes/change.ts';
import { type Resumed, type ResumeOptions, resumeRecord } from '../../../src/history/changes/resume.ts';
import { type History, openHistory } from '../../../src/history/history.ts';
import type { ChangeRequest } from '../../../src/history/intent.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/history/journal/files/files.ts';
import { patientClient } from './patient-client.ts';
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

/** A machine with the history of a store, a client whose waits take no time, and a service whose reactions the test chooses. */
export interface Scene {
  readonly folder: string;
  readonly client: Client;
  readonly server: StoreServer;
  /** How the service answers; a test may change it at any time. */
  react: (request: Received, number: number) => Reaction | Promise<Reaction>;
  /** How far this machine's clock is ahead, in milliseconds. */
  ahead: number;
  /** The history as a new process finds it. */
  open(fileSystem?: FileSystem): History;
  /** As a command of a process of its own: the outcome is told at the end. */
  change(request: ChangeRequest, options?: Partial<ChangeOptions>): Promise<Changed>;
  /** As a process that is killed before it has told the outcome. */
  changeAndDie(request: ChangeRequest): Promise<Changed>;
  resume(id: string, options?: Partial<ResumeOptions>): Promise<Resumed>;
  files(): string[];
  methods(): string[];
}

export async function startScene(react: Scene['react'] = () => 'answer'): Promise<Scene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-scene-'));
  const server = await startStoreServer((request, number) => scene.react(request, number));
  let keys = 0;
  const { client } = patientClient(server.url);
  const now = () => Date.now() + scene.ahead;
  const open = (fileSystem = nodeFileSystem) =>
    openHistory({ folder, store, profile: 'main', process, now, fileSystem });
  const makeKey = () => {
    keys += 1;
    return `made-key-${keys}`;
  };
  const common = { client, secrets: ['sk_secret_key'], settlePauseMs: 1, makeKey };
  const scene: Scene = {
    folder,
    client,
    server,
    react,
    ahead: 0,
    open,
    async change(request, options) {
      const history = open();
      try {
        return await recordChange(history, request, { ...common, ...options });
      } finally {
        await history.end();
      }
    },
    async changeAndDie(request) {
      const history = open();
      const changed = await recordChange(history, request, common);
      // What a killed process leaves: its locks are broken by the next one.
      rmSync(path.join(folder, 'locks'), { recursive: true, force: true });
      return changed;
    },
    async resume(id, options) {
      const history = open();
      try {
        return await resumeRecord(history, id, { client, settlePauseMs: 1, ...options });
      } finally {
        await history.end();
      }
    },
    files: () => readdirSync(folder).filter((name) => name.endsWith('.jsonl')),
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
