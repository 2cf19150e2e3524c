import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientResult,
  createMachine,
  documentOf,
  errorOf,
  type Machine,
  type Mishaps,
  noMishaps,
  type RunningClient,
} from './client/machine.ts';
import { type Json, type OperationModel, operations, uuidOf } from './operations.ts';
import type { KillAtMoment, Listening, Schedule, Step, Typed } from './schedule.ts';
import type { Effect } from './service/model.ts';
import { type ModelServer, monotonicMs, type SeenRequest, startModelServer } from './service/model-server.ts';

/** One client, from its start to its end. */
export interface Run extends ClientResult {
  readonly typed: Typed | 'repair';
  readonly args: readonly string[];
  /** What the user wants from it; empty for `resume`. */
  readonly subjects: readonly string[];
  readonly mishaps: Mishaps;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Those that came over a connection of this client. */
  readonly requests: readonly SeenRequest[];
  readonly error: Json | null;
  readonly document: unknown;
  /** Another client ran at the same time. */
  readonly inPair: boolean;
  /** A file of the history was bad when it started. */
  readonly onDamagedHistory: boolean;
  /** Number of effects when it started. */
  readonly effectsBefore: number;
}

/** A line of `history list --json`. */
export interface HistoryLine {
  readonly id: string;
  readonly operation: string;
  readonly state: string;
  readonly idempotencyKey: string | null;
}

/** What happened in a schedule: all that the promises are checked against. */
export interface Trace {
  readonly schedule: Schedule;
  readonly runs: readonly Run[];
  readonly requests: readonly SeenRequest[];
  readonly effects: readonly Effect[];
  /** As the user sees it at the end, or null where it could not be listed. */
  readonly history: readonly HistoryLine[] | null;
  readonly wasDamaged: boolean;
}

export interface PlayOptions {
  readonly root: string;
  readonly folder: string;
  readonly address: string;
  readonly withoutHistory: boolean;
}

/** Well past any time that the program promises to keep, on a busy machine too. */
const patienceMs = 40_000;

/** Plays a schedule: a server, a machine, and one step after the other. */
export async function play(schedule: Schedule, options: PlayOptions): Promise<Trace> {
  const subjects = [...schedule.subjects, schedule.otherSubject];
  await using server = await startModelServer({ ...schedule, subjects, address: options.address });
  const machine = createMachine({
    ...options,
    url: server.url,
    env: { STORECTL_CI_RUN_ID: String(schedule.seed) },
  });
  try {
    writeInput(machine, schedule);
    const runs: Run[] = [];
    let damage: 'none' | 'there' | 'repaired' = 'none';
    for (const step of schedule.steps) {
      if (step.do === 'damage') {
        if (damageHistory(machine, step)) damage = 'there';
      } else {
        runs.push(...(await playStep({ schedule, server, machine, damaged: damage === 'there' }, step)));
        if (step.do === 'repair' && damage === 'there') damage = 'repaired';
      }
    }
    await server.settled();
    const history = options.withoutHistory ? null : await listHistory(machine);
    const { requests, model } = server;
    return { schedule, runs, requests, effects: model.effects, history, wasDamaged: damage !== 'none' };
  } finally {
    machine.remove();
  }
}

interface Scene {
  readonly schedule: Schedule;
  readonly server: ModelServer;
  readonly machine: Machine;
  readonly damaged: boolean;
}

async function playStep(scene: Scene, step: Exclude<Step, { do: 'damage' }>): Promise<Run[]> {
  if (step.do === 'repair') return [await runClient(scene, 'repair', noMishaps, null, false)];
  if (step.do === 'run') {
    const stopWaiting = await listenFrom(scene.server, step.listening);
    try {
      return [await runClient(scene, step.typed, step.mishaps, step.kill, false)];
    } finally {
      await stopWaiting();
    }
  }
  const first = runClient(scene, 'same', noMishaps, step.kill, true);
  const second = sleep(step.gapMs).then(() => runClient(scene, 'same', noMishaps, null, true));
  return Promise.all([first, second]);
}

/** Returns what makes the service listen again, now if not before. */
async function listenFrom(server: ModelServer, listening: Listening): Promise<() => Promise<void>> {
  if (listening === 'always') return async () => {};
  await server.refuse();
  if (listening === 'never') return () => server.listen();
  const listens = sleep(listening.fromMs).then(() => server.listen());
  return () => listens;
}

async function runClient(
  { schedule, server, machine, damaged }: Scene,
  typed: Run['typed'],
  mishaps: Mishaps,
  kill: KillAtMoment | null,
  inPair: boolean,
): Promise<Run> {
  const args = [...commandLine(schedule, typed), '--json', '--timeout', String(schedule.timeoutMs / 1000)];
  const startedMs = monotonicMs();
  const effectsBefore = server.model.effects.length;
  const client = machine.start(args, mishaps, schedule.timeoutMs + patienceMs);
  if (kill !== null) killAt(server, client, kill);
  const result = await client.result;
  const endedMs = monotonicMs();
  const ports = new Set(result.events.map((event) => (event.event === 'connect' ? event.port : 0)));
  return {
    ...result,
    typed,
    args,
    subjects: subjectsOf(schedule, typed),
    mishaps,
    startedMs,
    endedMs,
    requests: server.requests.filter(({ at, clientPort }) => at >= startedMs && ports.has(clientPort)),
    error: errorOf(result),
    document: documentOf(result),
    inPair,
    onDamagedHistory: damaged,
    effectsBefore,
  };
}

function killAt(server: ModelServer, client: RunningClient, { moment, write, afterMs }: KillAtMoment): void {
  server.onMoment = (reached, number) => {
    if (reached !== moment || number !== write) return;
    if (afterMs === 0) client.kill();
    else setTimeout(client.kill, afterMs);
  };
}

function subjectsOf(schedule: Schedule, typed: Run['typed']): readonly string[] {
  if (typed === 'resume' || typed === 'repair') return [];
  const isOther = typed === 'other-subject' || typed === 'key-with-other-arguments';
  return isOther ? [schedule.otherSubject] : schedule.subjects;
}

function commandLine(schedule: Schedule, typed: Run['typed']): string[] {
  if (typed === 'resume') return ['resume'];
  if (typed === 'repair') return ['history', 'repair'];
  const { operation, key, seed, safetyBackup } = schedule;
  const model: OperationModel = operations[operation];
  const keyFlags = {
    made: [],
    given: ['--idempotency-key', `key-${seed}`],
    ci: ['--idempotency-from', 'ci'],
  }[key];
  return [
    ...model.command(subjectsOf(schedule, typed)),
    // A new attempt with a given key would be a contradiction.
    ...(typed === 'fresh' && key !== 'made' ? [] : keyFlags),
    ...(typed === 'fresh' && model.freshFlag !== null ? [model.freshFlag] : []),
    ...(operation === 'backup.restore' && !safetyBackup ? ['--no-safety-backup'] : []),
  ];
}

function writeInput(machine: Machine, { operation, subjects }: Schedule): void {
  if (operation === 'blog.create') {
    for (const subject of subjects)
      machine.writeFile(`${subject}.md`, `---\ntitle: ${subject}\n---\nText.\n`);
  }
  if (operation === 'disputes.decide') {
    const rows = subjects.map((subject) => `${uuidOf(subject)},won,Delivered.`);
    machine.writeFile('decisions.csv', ['disputeId,status,resolution', ...rows, ''].join('\n'));
  }
}

/** False where there is no history yet. */
function damageHistory(machine: Machine, { how, file, at, bit }: Extract<Step, { do: 'damage' }>): boolean {
  const files = recordFiles(machine.stateFolder());
  const name = files[Math.floor(file * files.length)];
  if (name === undefined) return false;
  const bytes = readFileSync(name);
  const isLog = !name.endsWith('.json');
  // An unfinished last line of a log is what a crash leaves behind, and no damage.
  const end = isLog ? bytes.lastIndexOf(0x0a, -2) : bytes.length;
  if (end <= 0) return false;
  const place = Math.floor(at * end);
  if (how === 'flip' || isLog) bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
  if (how === 'flip' || isLog) writeFileSync(name, bytes);
  else writeFileSync(name, how === 'empty' ? '' : bytes.subarray(0, place));
  return true;
}

/** Files that hold records, oldest first. */
function recordFiles(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .filter((name) => !name.split(path.sep).some((part) => part.startsWith('.') || part === 'locks'))
    .map((name) => path.join(folder, name))
    .filter((name) => statSync(name).isFile() && readFileSync(name, 'utf8').includes('"operation"'))
    .sort();
}

async function listHistory(machine: Machine): Promise<HistoryLine[] | null> {
  const { result } = machine.start(['history', 'list', '--json'], noMishaps, patienceMs);
  const document = documentOf(await result);
  return Array.isArray(document) ? document : null;
}
