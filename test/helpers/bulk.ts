import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { decideDispute, openDispute } from '../../src/contract/operations/disputes.ts';
import { includes, type Ranges } from '../../src/service/storage/core/ranges.ts';
import type { Machine } from './cli.ts';
import type { TestService } from './service.ts';

/** Another user of the same service, who does not go through the program. */
export function otherUser({ origin, storeId, apiKey }: TestService) {
  const client = openClient({ baseUrl: origin, apiKey, userAgent: 'test', env: {} });
  onTestFinished(() => client.close());
  const call = async (operation: Operation, body: object, parameters = {}) => {
    const input = { parameters: { storeId, ...parameters }, body: JSON.stringify(body) };
    const outcome = await client.call(operation, input);
    if (outcome.kind !== 'applied') throw new Error(`${operation.id}: ${JSON.stringify(outcome)}`);
    return outcome.body as { readonly id: string };
  };
  return {
    call,
    /** Opens `count` disputes and returns their ids. */
    async openDisputes(count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let number = 1; number <= count; number++) {
        const body = { kind: 'payment', reason: `Reason ${number}`, idempotencyKey: `test-key-${number}` };
        ids.push((await call(openDispute, body)).id);
      }
      return ids;
    },
    decide: (disputeId: string, status: string, resolution: string) =>
      call(decideDispute, { status, resolution }, { disputeId }),
  };
}

/** Writes files below the machine's working folder. */
export function writeFiles(
  { folder }: Pick<Machine, 'folder'>,
  files: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The posts that the only store shows. */
async function shownPosts(db: Parameters<Parameters<TestService['storage']['read']>[0]>[0]) {
  const { blog } = await db.selectFrom('stores').select('blog').executeTakeFirstOrThrow();
  const ranges: Ranges = JSON.parse(String(blog));
  const posts = await db
    .selectFrom('posts')
    .select(['position', 'title', 'slug', 'contentMd', 'tags', 'status', 'publishedAt', 'scheduledAt'])
    .execute();
  return posts.filter(({ position }) => includes(ranges, position)).map(({ position: _, ...post }) => post);
}

/** What is in the tables of the service, read next to it. */
export function tables({ storage }: TestService) {
  return storage.read(async (db) => ({
    decisions: await db
      .selectFrom('disputeDecisions')
      .select(['disputeId', 'status', 'resolution'])
      .execute(),
    posts: await shownPosts(db),
  }));
}

/** Slugs of the posts that the test has made, sorted. */
export async function madePosts(service: TestService): Promise<string[]> {
  const given = new Set(service.example.posts.map(({ slug }) => slug));
  const { posts } = await tables(service);
  return posts
    .map(({ slug }) => slug)
    .filter((slug) => !given.has(slug))
    .sort();
}
