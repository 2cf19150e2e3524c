import { timestamp } from '../../model/time.ts';
import { removeInSteps } from '../../storage/core/storage.ts';
import { type BackupChunk, readBackupChunks } from '../../storage/queries/backups.ts';
import {
  inStepsOfPosts,
  noteStaging,
  type PostRecord,
  removeUnusedPosts,
  stagePosts,
} from '../../storage/queries/posts.ts';
import type { LongWork } from '../idempotency.ts';
import { summarize } from './sections.ts';

/**
 * Writes the posts of a backup beside those of the store, in steps between which others write. Throws if what is written
 * differs from the backup. Ends the snapshot.
 */
export async function stageBlog(work: LongWork, backupId: string, sha256: string): Promise<void> {
  work.endSnapshot();
  await work.save((db) => noteStaging({ ...work, db }, timestamp(work.now)));
  // Of a restore that was killed.
  await removePosts(work);
  const staged = await summarize(inSteps(work, backupId));
  if (staged.sha256 !== sha256) throw new Error('restored blog differs from its backup');
}

async function* inSteps(work: LongWork, backupId: string): AsyncGenerator<BackupChunk> {
  let after = '';
  for (let position = 0; ; position++) {
    const chunk: BackupChunk | undefined = await work.save(
      async (db) => (await readBackupChunks({ ...work, db }, backupId, 'blog', position).next()).value,
    );
    if (chunk === undefined) return;
    const all: PostRecord[] = JSON.parse(`[${chunk.payload}]`);
    for (const posts of inStepsOfPosts(all)) {
      const written = await work.save((db) => stagePosts({ ...work, db }, posts, after));
      yield { itemCount: written.length, payload: written.join(',') };
      after = posts.at(-1)?.id ?? after;
    }
  }
}

/** Runs `restore`, and then removes the posts that the store does not use: the former ones if it has succeeded. */
export async function withoutUnusedPosts<Result>(
  work: LongWork,
  restore: () => Promise<Result>,
): Promise<Result> {
  try {
    return await restore();
  } finally {
    // Where this fails, the next restore does it, or `prune`.
    await removePosts(work).catch(() => {});
  }
}

function removePosts(work: LongWork): Promise<number> {
  return removeInSteps(() => work.save((db) => removeUnusedPosts({ ...work, db })));
}
