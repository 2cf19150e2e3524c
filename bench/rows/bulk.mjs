import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { program, root, timeOf } from '../lib/processes.mjs';
import { newStore, startService, storeOf } from '../lib/scene.mjs';

const posts = 1_000;
/** The full concurrency of src/cli/batch/limits.ts. */
const atOnce = 10;

const createMany = {
  name: 'bulk: blog create',
  what: `\`storectl blog create\` of ${posts} files; a bare undici pool, ${atOnce} at a time, at the same service`,
  unit: 'requests/s',
  perRound: 2,
  goals: () => [{ of: 'ratio', atLeast: 0.8 }],
  async prepare(place) {
    const service = await startService(place, { countsRequests: true });
    const folder = path.join(place.folder, 'posts');
    mkdirSync(folder);
    const files = Array.from({ length: posts }, (_, index) => path.join(folder, `post-${index + 1}.md`));
    for (const [index, file] of files.entries()) {
      writeFileSync(file, `---\ntitle: Post ${index + 1}\n---\nText ${index + 1}.\n`);
    }
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
          timeOf(place.node, [program, 'blog', 'create', ...files, '-q'], {
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

export const bulkRows = [createMany];
