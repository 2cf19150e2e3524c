import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnvironment, versionOf } from './processes.mjs';

/**
 * Measures every row on every Node, in rounds: what disturbs the machine for a while then disturbs all of them, and the
 * two sides of a ratio are measured next to each other, each of them first in turn. A first round, which is not counted,
 * fills caches.
 *
 * A row has
 * - `name`, `what` (the subject; what it is compared with), `unit`;
 * - `goals(nodeMajor)`: a list of `{ of: 'ratio' | 'value', atMost | atLeast }`;
 * - `perRound`: samples in each round; `warmUps`: those before the first round, one unless given;
 * - `prepare({ node, env, folder })`: what runs it: `subject()`, `floor()` (null where it is compared with nothing) and
 *   `peers`, others by name, each of them answering a number; `end()` takes everything down. Null where the machine
 *   lacks what the row needs.
 * A row whose `engine` is `postgres` is measured with `--postgres` only. A row with `once` is measured once, on the first Node.
 */
export async function measureAll(rows, { nodes, rounds }) {
  const base = mkdtempSync(path.join(tmpdir(), 'storectl-bench-'));
  const runs = [];
  try {
    for (const node of nodes) {
      for (const row of rows) {
        if (row.once && node !== nodes[0]) continue;
        note(`preparing ${row.name} on ${versionOf(node)}`);
        runs.push(await prepare(row, node, path.join(base, String(runs.length))));
      }
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const run of runs) {
        if (run.parts === null || (run.row.once && round > 1)) continue;
        note(
          `${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${run.row.name} on ${run.version}`,
        );
        await measure(run, round === 0 ? (run.row.warmUps ?? 1) : run.row.perRound, round > 0);
      }
    }
    return runs.map(({ row, version, subject, floor, peers, parts }) => ({
      row,
      version,
      subject,
      floor,
      peers,
      isMeasured: parts !== null,
    }));
  } finally {
    for (const { parts } of runs) await parts?.end?.();
    rmSync(base, { recursive: true, force: true });
    note('');
  }
}

async function prepare(row, node, folder) {
  mkdirSync(folder);
  const parts = await row.prepare({ node, folder, env: cleanEnvironment(folder) });
  const peers = Object.fromEntries(Object.keys(parts?.peers ?? {}).map((name) => [name, []]));
  return { row, parts, version: versionOf(node), subject: [], floor: [], peers };
}

async function measure({ parts, subject, floor, peers }, samples, counts) {
  for (let sample = 0; sample < samples; sample += 1) {
    const sides = Object.entries({ subject, floor }).filter(([side]) => parts[side] !== null);
    if (subject.length % 2 === 1) sides.reverse();
    for (const [side, values] of sides) {
      const value = await parts[side]();
      if (counts) values.push(value);
    }
  }
  for (const [name, peer] of Object.entries(parts.peers ?? {})) {
    const value = await peer();
    if (counts) peers[name].push(value);
  }
}

/** One line on stderr, which the next one replaces. */
function note(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
