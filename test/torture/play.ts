import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHistory } from '../../src/history/journal.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
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
import type { Effect, OtherChange } from './service/model.ts';
import { type ModelServer, monotonicMs, type SeenRequest, startModelServer } from './service/model-server.ts';

/** One client, from its start to its end. */
export interface Run extends ClientResult {
  readonly typed: Typed | 'repair' | 'mark';
  readonly args: readonly string[];
  /** What the user wants from it; empty for `resume`. */
  readonly subjects: readonly string[];
  readonly mishaps: Mishaps;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Those that came over a connection of this client; `view` is null where it did not live to see the answer. */
  readonly requests: readonly SeenRequest[];
  readonly error: Json | null;
  readonly document: unknown;
  /** Another client ran at the same time. */
  readonly inPair: boolean;
  /** Names of the files of the history that were bad when it started. */
  readonly damagedFiles: readonly string[];
  /** Number of effects when it started. */
  readonly effectsBefore: number;
}

/** What a record of the history says. */
export type HistoryLine = Pick<HistoryRecord, 'id' | 'operation' | 'state' | 'idempotencyKey'>;

/** What happened in a schedule: all that the promises are checked against. */
export interface Trace {
  readonly schedule: Schedule;
  readonly runs: readonly Run[];
  readonly requests: readonly SeenRequest[];
  readonly effects: readonly Effect[];
  /** What another user has written into the settings, and what stands there at the end. */
  readonly settings: { readonly otherChange: OtherChange | null; readonly found: unknown };
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
    let damagedFiles: readonly string[] = [];
    let wasDamaged = false;
    for (const step of schedule.steps) {
      if (step.do === 'damage') {
        const file = damageHistory(machine, step);
        if (file !== null) damagedFiles = [...damagedFiles, file];
        wasDamaged ||= file !== null;
      } else {
        runs.push(...(await playStep({ schedule, server, machine, damagedFiles }, step)));
        if (step.do === 'repair') damagedFiles = [];
      }
    }
    await server.settled();
    const history = options.withoutHistory ? null : await listHistory(machine);
    const { requests, model } = server;
    return {
      schedule,
      runs,
      requests,
      effects: model.effects,
      settings: { otherChange: model.otherChange(), found: model.summary() },
      history,
      wasDamaged,
    };
  } finally {
    machine.remove();
  }
}

interface Scene {
  readonly schedule: Schedule;
  readonly server: ModelServer;
  readonly machine: Machine;
  readonly damagedFiles: readonly string[];
}

async function playStep(scene: Scene, step: Exclude<Step, { do: 'damage' }>): Promise<Run[]> {
  if (step.do === 'repair') return [await runClient(scene, 'repair', noMishaps, null, false)];
  if (step.do === 'mark') return markInDoubt(scene);
  if (step.do === 'run') {
    const stopWaiting = await listenFrom(scene.server, step.listening);
    try {
      return [await runClient(scene, step.typed, step.mishaps, step.kill, false)];
    } finally {
      await stopWaiting();
    }
  }
  const first = runClient(scene, 'same', noMishaps, step.kill, true);
  const second = sleep(step.gapMs).then(() => runClient(scene, step.second, noMishaps, null, true));
  return Promise.all([first, second]);
}

/** Marks the only record in doubt by what is true. Does nothing where there is none, or several. */
async function markInDoubt(scene: Scene): Promise<Run[]> {
  const { server, machine, schedule } = scene;
  await server.settled();
  const lines = await listHistory(machine);
  const [doubtful, ...others] = lines.filter(({ state }) => state === 'sent' || state === 'unknown');
  const isClear = others.length === 0 && schedule.subjects.length === 1;
  if (doubtful === undefined || !isClear || doubtful.operation !== schedule.operation) return [];
  const own = server.model.effects.filter(({ operation }) => operation === schedule.operation);
  const known = lines.filter(
    ({ operation, state }) => operation === schedule.operation && state === 'applied',
  );
  const isThere =
    doubtful.idempotencyKey === null
      ? own.length > known.length
      : own.some(({ idempotencyKey }) => idempotencyKey === doubtful.idempotencyKey);
  const args = ['resume', doubtful.id, '--mark', isThere ? 'applied' : 'not-applied'];
  return [await runClient(scene, 'mark', noMishaps, null, false, args)];
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
  { schedule, server, machine, damagedFiles }: Scene,
  typed: Run['typed'],
  mishaps: Mishaps,
  kill: KillAtMoment | null,
  inPair: boolean,
  command = commandLine(schedule, typed),
): Promise<Run> {
  const output = mishaps.outputFull ? ['--output-file', 'output/answer.json'] : [];
  const args = [...command, ...output, '--json', '--timeout', String(schedule.timeoutMs / 1000)];
  const startedMs = monotonicMs();
  const effectsBefore = server.model.effects.length;
  const client = machine.start(args, mishaps, schedule.timeoutMs + patienceMs);
  if (kill !== null) killAt(server, client, kill);
  const result = await client.result;
  const endedMs = monotonicMs();
  const ports = new Set(result.events.map((event) => (event.event === 'connect' ? event.port : 0)));
  const own = server.requests.filter(({ at, clientPort }) => at >= startedMs && ports.has(clientPort));
  return {
    ...result,
    typed,
    args,
    subjects: subjectsOf(schedule, typed),
    mishaps,
    startedMs,
    endedMs,
    requests: own.map((request) => (sawAnswer(result, request) ? request : { ...request, view: null })),
    error: errorOf(result),
    document: documentOf(result),
    inPair,
    damagedFiles,
    effectsBefore,
  };
}

function sawAnswer({ events }: ClientResult, { clientPort, answeredAt }: SeenRequest): boolean {
  return events.some(
    (event) => event.event === 'receive' && event.port === clientPort && event.ms >= answeredAt,
  );
}

function killAt(server: ModelServer, client: RunningClient, { moment, write, afterMs }: KillAtMoment): void {
  server.onMoment = (reached, number) => {
    if (reached !== moment || number !== write) return;
    if (afterMs === 0) client.kill();
    else setTimeout(client.kill, afterMs);
  };
}

function subjectsOf(schedule: Schedule, typed: Run['typed']): readonly string[] {
  if (typed === 'resume' || typed === 'repair' || typed === 'mark') return [];
  const isOther = typed === 'other-subject' || typed === 'key-with-other-arguments';
  return isOther ? [schedule.otherSubject] : schedule.subjects;
}

function commandLine(schedule: Schedule, typed: Run['typed']): string[] {
  if (typed === 'resume' || typed === 'mark') return ['resume'];
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

/** Returns the name of the file, or null where there is no history yet. */
function damageHistory(
  machine: Machine,
  { how, file, at, bit }: Extract<Step, { do: 'damage' }>,
): string | null {
  const files = recordFiles(machine.stateFolder());
  const name = files[Math.floor(file * files.length)];
  if (name === undefined) return null;
  const bytes = readFileSync(name);
  const isLog = !name.endsWith('.json');
  // An unfinished last line of a log is what a crash leaves behind, and no damage. A record without its line feed is whole.
  const end = isLog ? bytes.lastIndexOf(0x0a, -2) : bytes.lastIndexOf('}');
  if (end <= 0) return null;
  const place = Math.floor(at * end);
  if (how === 'flip' || isLog) bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
  if (how === 'flip' || isLog) writeFileSync(name, bytes);
  else writeFileSync(name, how === 'empty' ? '' : bytes.subarray(0, place));
  return path.basename(name);
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

/** Read as the program reads it, but without a process for it. */
async function listHistory(machine: Machine): Promise<readonly HistoryLine[]> {
  const folder = path.join(machine.stateFolder(), 'history', 'main');
  const { records } = await openHistory({ folder, process }).list();
  return records;
}
