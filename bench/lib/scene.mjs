import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { outputOf, peakMemoryOfRunning, program, root, startServer } from './processes.mjs';

const bareFolder = path.join(root, 'bench', 'bare');

/** Runs a script of bench/bare/ on the Node that is measured. */
export function startScript({ node, env, folder }, name, ...args) {
  const script = path.join(bareFolder, `${name}.mjs`);
  return startServer(node, [script, ...args], { env, log: path.join(folder, `${name}.log`) });
}

/** See bare/answer.mjs. */
export function answerServer(place) {
  return startScript(place, 'answer');
}

/** A new store in the service's database, and a key for it. `database` is a connection string, or there is a file. */
export function newStore({ node, env, folder, database = databaseIn(folder) }) {
  const command = (...words) =>
    outputOf(node, [program, 'service', ...words, '--database', database, '-q'], { env });
  const storeId = command('stores', 'create', '--name', `Bench ${randomUUID()}`);
  return { storeId, key: command('keys', 'create', '--store', storeId, '--preset', 'owner') };
}

/**
 * The service as a user starts it, with a log, and a store in it: on the embedded engine unless the place names another
 * database. One that `countsRequests` also tells how many it has answered since it was asked last, and at what rate from the
 * first to the last. `flags` are added to its command.
 */
export async function startService(place, { countsRequests = false, flags = [] } = {}) {
  const { node, env, folder, database = databaseIn(folder) } = place;
  const store = newStore(place);
  const hook = countsRequests ? ['--require', path.join(root, 'bench', 'lib', 'request-window.cjs')] : [];
  const start = [
    'service',
    'start',
    '--port',
    '0',
    '--json',
    '--rate-limit',
    '0',
    '--database',
    database,
    ...flags,
  ];
  const log = path.join(folder, 'service.log');
  const { child, ...server } = await startServer(node, [...hook, program, ...start], { env, log });
  return {
    ...server,
    ...store,
    pid: child.pid,
    /** In MiB. */
    peakMemory: () => peakMemoryOfRunning(child.pid),
    async requestRate() {
      child.kill('SIGUSR2');
      const [line] = await once(child.stdio[3], 'data');
      const { requests, seconds } = JSON.parse(line);
      return { requests, rate: requests / seconds };
    },
  };
}

function databaseIn(folder) {
  return path.join(folder, 'service.db');
}

/** The environment of commands that talk to a server. */
export function storeOf({
  origin,
  storeId = '5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3a7',
  key = 'key-of-the-bench',
}) {
  return { STORECTL_BASE_URL: origin, STORECTL_STORE_ID: storeId, STORECTL_API_KEY: key };
}
