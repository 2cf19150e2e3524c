// Sends a number of posts with undici's Pool, each with an idempotency key, several at a time, without keeping records.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const { origin, storeId, key, connections, bodies } = JSON.parse(process.argv[2]);
const pool = new Pool(origin, { connections });
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
let next = 0;
const client = async () => {
  while (next < bodies) {
    next += 1;
    const text = {
      contentMd: `${'Text. '.repeat(400)}\n`,
      title: `Post ${next}: about ink`,
      tags: ['pens', String(next), 'ink', 'paper'],
      slug: `post-${next}`,
      status: 'published',
      publishedAt: '2020-01-02T08:00:00Z',
    };
    const keyed = { ...headers, 'idempotency-key': randomUUID() };
    const request = { method: 'POST', path: `/v1/stores/${storeId}/blog/posts`, headers: keyed };
    const { statusCode, body } = await pool.request({ ...request, body: JSON.stringify(text) });
    await body.json();
    if (statusCode !== 201) throw new Error(`answered with ${statusCode}`);
  }
};
await Promise.all(Array.from({ length: connections }, client));
await pool.close();
