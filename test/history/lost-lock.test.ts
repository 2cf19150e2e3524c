import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../src/base/files/files.ts';
import { sha256 } from '../../src/base/sha256.ts';
import type { ChangeRequest } from '../../src/history/record/change-request.ts';
import { backup, post, rename, restore, safetyLabel, save, setHistoryScene } from './helpers/scene.ts';

type Held = 'operation' | 'order' | 'log';

/** The file of a lock that is held now, or null. */
function findLock(folder: string, held: Held, { operation }: ChangeRequest): string | null {
  const locks = path.join(folder, 'locks');
  const nameOf = (name: string) => `${sha256(name).slice(0, 32)}.lock`;
  const [ofOperation, order] = [nameOf(`operation ${operation.id}`), nameOf('order')];
  const isWanted = (name: string) => {
    if (held === 'log') return name.endsWith('.lock') && name !== ofOperation && name !== order;
    return name === (held === 'operation' ? ofOperation : order);
  };
  const name = fs.existsSync(locks) ? fs.readdirSync(locks).find(isWanted) : undefined;
  return name === undefined ? null : path.join(locks, name);
}

/**
 * `node:fs`, on which something happens before the call of this number, from 1. The calls of an assertion itself do not count: it
 * holds for a while.
 */
function disturbed(at: number, disturb: () => void): { fileSystem: FileSystem; calls(): number } {
  let calls = 0;
  const counted =
    (name: string, call: (...parameters: unknown[]) => unknown) =>
    (...parameters: unknown[]) => {
      const [file] = parameters;
      const isOfLock = typeof file === 'string' && file.endsWith('.lock');
      const counts =
        typeof file === 'string' ? !isOfLock : /write|sync$|truncate/i.test(name.replace(/Sync$/, ''));
      if (counts) calls += 1;
      if (counts && calls === at) disturb();
      return call(...parameters);
    };
  const entries = Object.entries(fs).map(([name, value]) => [
    name,
    typeof value === 'function' && /Sync$|^fdatasync$/.test(name) ? counted(name, value as never) : value,
  ]);
  return { fileSystem: Object.fromEntries(entries), calls: () => calls };
}

/** Lets another process take a lock over before one of the calls to the disk; nothing may be sent from there on. */
async function loseAt(held: Held, request: ChangeRequest, at: number) {
  // The first response to each request is lost, so that there is a second attempt.
  const scene = await setHistoryScene((_, number) =>
    number % 2 === 1 ? { status: 503, body: {} } : 'answer',
  );
  const sent = () => scene.methods().filter((method) => method !== 'GET').length;
  let sentBefore: number | null = null;
  let seenBefore: readonly string[] = [];
  const ids = () => scene.records().map(({ id }) => id);
  const { fileSystem, calls } = disturbed(at, () => {
    const file = findLock(scene.folder, held, request);
    // Once the log can be seen, no other process begins the same operation.
    if (file === null || (held === 'operation' && scene.files().length > 0)) return;
    fs.writeFileSync(file, JSON.stringify({ nonce: 'of another', pid: 1, host: 'far' }));
    sentBefore = sent();
    seenBefore = ids();
  });
  const isSafe = request.operation.id === 'backup.restore';
  const change = scene.change(request, { fileSystem, ...(isSafe && { safetyLabel }) });
  const error = await change.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const sentAfter = sentBefore === null ? null : sent() - sentBefore;
  const gone = seenBefore.filter((id) => !ids().includes(id));
  return { sentAfter, gone, error, hasEnded: calls() < at };
}

describe.each<[string, ChangeRequest, readonly Held[]]>([
  ['a store update', rename('A'), ['operation', 'order', 'log']],
  ['a saved document', save, ['operation', 'order', 'log']],
  ['a restore and its safety backup', restore, ['operation', 'order', 'log']],
  ['a backup', backup, ['operation', 'log']],
  ['a post', post, ['operation', 'log']],
])('%s', (_, request, locks) => {
  test.each(locks)(
    'sends nothing after its lock "%s" was lost, and keeps what others could see, wherever that happens',
    async (held) => {
      let lost = 0;
      let refused = 0;
      for (let at = 1; ; at += 1) {
        const { sentAfter, gone, error, hasEnded } = await loseAt(held, request, at);
        if (hasEnded) break;
        if (sentAfter === null) continue;
        lost += 1;
        expect(sentAfter, `lost before call ${at}`).toBe(0);
        // Another process may have named them to its user.
        expect(gone, `lost before call ${at}`).toEqual([]);
        if (error !== null) {
          // Where its safety backup was made, the restore is not sent.
          expect(String(error)).toMatch(/lost the lock|only the safety backup was sent/);
          refused += 1;
        }
      }
      expect(lost).toBeGreaterThan(5);
      expect(refused).toBeGreaterThan(5);
    },
  );
});
