import { execFileSync, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '..', '..');
export const program = path.join(root, 'bin', 'storectl.js');
const memoryHook = path.join(import.meta.dirname, 'peak-memory.cjs');
const processorHook = path.join(import.meta.dirname, 'processor-time.cjs');

/** The environment of everything that is measured: nothing of the user's, such as NODE_OPTIONS or NODE_EXTRA_CA_CERTS. */
export function cleanEnvironment(folder, more = {}) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CACHE_HOME: path.join(folder, 'cache'),
    STORECTL_CONFIG_DIR: path.join(folder, 'config'),
    STORECTL_STATE_DIR: path.join(folder, 'state'),
    ...more,
  };
}

/** Milliseconds from starting a process to its end. Rejects if it fails. */
export async function timeOf(command, args, options) {
  const { ms } = await run(command, args, options);
  return ms;
}

/** Milliseconds of processor time that a Node program takes: less is changed by what else runs on the machine. */
export async function processorTimeOf(node, args, options) {
  const { extra } = await run(node, ['--require', processorHook, ...args], options);
  return Number(extra);
}

/** Peak memory of a Node program in MiB. */
export async function peakMemoryOf(node, args, options) {
  const { extra } = await run(node, ['--require', memoryHook, ...args], options);
  return Number(extra) / 1024;
}

/** Peak memory in MiB of a process that runs. On Linux only. */
export function peakMemoryOfRunning(pid) {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024;
}

/** Processor time in ms that the threads of a process have used. On Linux only. */
export function cpuMsOf(pid) {
  const threads = `/proc/${pid}/task`;
  const used = readdirSync(threads).map((thread) => readFileSync(`${threads}/${thread}/schedstat`, 'latin1'));
  return used.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1_000_000;
}

/** What the program prints, without white space around it. */
export function outputOf(node, args, { env, cwd = root }) {
  return execFileSync(node, args, { env, cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Such as `v20.19.0`. Throws when it does not run. */
export function versionOf(node) {
  return outputOf(node, ['--version'], { env: process.env });
}

function run(command, args, { env, cwd = root }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    let errors = '';
    let extra = '';
    let ms = 0;
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdio[3].on('data', (chunk) => {
      extra += chunk;
    });
    child.once('error', reject);
    child.once('exit', () => {
      ms = performance.now() - start;
    });
    child.once('close', (code) => {
      if (code === 0) resolve({ ms, extra });
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${errors}`));
    });
  });
}

/**
 * Starts a server that prints its address, and waits for that. What it writes to stderr goes to a file, as the log of a
 * service does.
 */
export async function startServer(node, args, { env, log, cwd = root }) {
  const descriptor = openSync(log, 'a');
  const child = spawn(node, args, { env, cwd, stdio: ['ignore', 'pipe', descriptor, 'pipe'] });
  closeSync(descriptor);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let printed = '';
  const origin = await new Promise((resolve, reject) => {
    child.once('error', reject);
    ended.then((code) => reject(new Error(`${args.join(' ')} ended with ${code}: see ${log}`)));
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(printed);
      if (found) resolve(found[0]);
    });
  });
  return {
    origin,
    child,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Where a program is on the PATH, or null. */
export function findOnPath(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Further along.
    }
  }
  return null;
}
