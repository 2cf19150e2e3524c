import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { createBackup } from '../../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { decideDispute } from '../../../src/contract/operations/disputes.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/history/files/files.ts';
import type { History } from '../../../src/history/history.ts';
import { openHistory } from '../../../src/history/journal.ts';
import { serializeWithChecksum } from '../../../src/history/records/checksum.ts';
import { type PerformOptions, performRecorded } from '../../../src/history/sending/execute.ts';
import { resumeRecord } from '../../../src/history/sending/resume.ts';
import { patientClient } from './patient-client.ts';
import { type Reaction, type Received, type StoreServer, startStoreServer } from './store-server.ts';

export const place = { profile: 'main', origin: 'https://api.example.com', storeId: 'store-1' };

export const backup = { operation: createBackup, body: { label: 'nightly', sections: ['store'] } };
export const post = { operation: createBlogPost, body: { title: 'Hello', contentMd: 'World' } };
export const decision = {
  operation: decideDispute,
  parameters: { disputeId: 'd-1' },
  body: { status: 'won', resolution: 'Delivered' },
};

/** A machine with a history, a client whose waits take no time, and a service whose reactions the test chooses. */
export interface Scene {
  readonly folder: string;
  readonly history: History;
  readonly client: Client;
  readonly server: StoreServer;
  /** How the service answers; a test may change it at any time. */
  react: (request: Received, number: number) => Reaction | Promise<Reaction>;
  /** How far this machine's clock is ahead, in milliseconds. */
  ahead: number;
  /** The same history as another process finds it. */
  reopen(fileSystem?: FileSystem): History;
  perform(
    options: Partial<PerformOptions> & Pick<PerformOptions, 'operation' | 'body'>,
  ): ReturnType<typeof performRecorded>;
  resume(id: string, more?: Partial<Parameters<typeof resumeRecord>[0]>): ReturnType<typeof resumeRecord>;
  /** Changes a record on disk, as an earlier run would have left it. */
  writeRecord(id: string, change: object): void;
  lockFiles(): string[];
  methods(): string[];
}

export async function startScene(react: Scene['react'] = () => 'answer'): Promise<Scene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-scene-'));
  const server = await startStoreServer((request, number) => scene.react(request, number));
  let keys = 0;
  const { client } = patientClient(server.url);
  const now = () => Date.now() + scene.ahead;
  const history = openHistory({ folder, process, now });
  const scene: Scene = {
    folder,
    history,
    client,
    server,
    react,
    ahead: 0,
    reopen: (fileSystem = nodeFileSystem) => openHistory({ folder, process, now, fileSystem }),
    perform: (options) =>
      performRecorded({
        history,
        client,
        ...place,
        secrets: ['sk_secret_key'],
        makeKey() {
          keys += 1;
          return `made-key-${keys}`;
        },
        settlePauseMs: 1,
        ...options,
      }),
    async resume(id, more = {}) {
      const record = await history.get(id);
      return resumeRecord({ history, client, record, settlePauseMs: 1, ...place, ...more });
    },
    writeRecord(id, change) {
      const file = path.join(folder, `${id}.json`);
      const { checksum: _, ...record } = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, serializeWithChecksum({ ...record, ...change }, 'file'));
    },
    lockFiles: () => readdirSync(path.join(folder, 'locks')).filter((name) => name.endsWith('.lock')),
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
