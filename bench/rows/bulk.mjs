import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { peakMemoryOf, program, root, timeOf } from '../lib/processes.mjs';
import { newStore, startService, storeOf } from '../lib/scene.mjs';

const posts = 5_000;
/** The full concurrency of src/cli/batch/limits.ts. */
const atOnce = 10;

/** The files of a blog of Jekyll, and the pattern that names them. */
function writeBlog(place) {
  const folder = path.join(place.folder, 'posts');
  mkdirSync(folder, { recursive: true });
  for (let number = 1; number <= posts; number += 1) {
    const day = new Date(Date.UTC(2008, 0, number)).toISOString().slice(0, 10);
    const head = `layout: post\ntitle: "Post ${number}: about ink"\ndate: ${day} 10:00:00 +0200\nauthor: Mara\n`;
    const fields = `${head}categories: [ink, paper]\ntags:\n  - pens\n  - ${number}\nimage:\n  path: /a.jpg\n`;
    writeFileSync(
      path.join(folder, `${day}-post-${number}.md`),
      `---\n${fields}---\n${'Text. '.repeat(400)}\n`,
    );
  }
  return path.join(folder, '*.md');
}

/** Rows about the plan of these posts: nothing is sent. */
function planRow(name, what, unit, atMost, measure) {
  return {
    name,
    what: `${what} of \`storectl blog create --dry-run\` of ${posts} files of 3 KB with front matter`,
    unit,
    perRound: 1,
    warmUps: 1,
    goals: () => [{ of: 'value', atMost }],
    async prepare(place) {
      const args = [
        program,
        '--demo',
        'blog',
        'create',
        writeBlog(place),
        '--status',
        'published',
        '--dry-run',
      ];
      return { subject: () => measure(place.node, args, place), floor: null, end() {} };
    },
  };
}

const createMany = {
  name: 'bulk: blog create',
  what: `\`storectl blog create\` of ${posts} files; the same requests by a bare undici pool, ${atOnce} at a time`,
  unit: 'requests/s',
  perRound: 2,
  goals: () => [{ of: 'ratio', atLeast: 0.8 }],
  async prepare(place) {
    const service = await startService(place, { countsRequests: true });
    const pattern = writeBlog(place);
    /** A new store and an empty history each time, so that all posts are new. */
    const measure = async (run) => {
      await service.requestRate();
      await run(newStore(place), mkdtempSync(path.join(place.folder, 'state-')));
      const { requests, rate } = await service.requestRate();
      if (requests !== posts) throw new Error(`${requests} requests instead of ${posts}`);
      return rate;
    };
    return {
      subject: () =>
        measure((store, state) =>
          timeOf(place.node, [program, 'blog', 'create', pattern, '--status', 'published', '-q'], {
            env: { ...place.env, ...storeOf({ ...service, ...store }), STORECTL_STATE_DIR: state },
          }),
        ),
      floor: () =>
        measure((store) => {
          const load = { origin: service.origin, ...store, connections: atOnce, bodies: posts };
          const script = path.join(root, 'bench', 'bare', 'pool.mjs');
          return timeOf(place.node, [script, JSON.stringify(load)], place);
        }),
      end: service.stop,
    };
  },
};

export const bulkRows = [
  createMany,
  planRow('bulk: plan of many files', 'time', 'ms', 3_000, timeOf),
  planRow('bulk: memory of a plan', 'peak memory', 'MiB', 200, peakMemoryOf),
];
