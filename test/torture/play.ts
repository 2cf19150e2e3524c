import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { normalizeBaseUrl } from '../../src/client/base-url.ts';
import { openHistory, type StoreHistory } from '../../src/history/history.ts';
import { type HistoryRecord, isInDoubt } from '../../src/history/record/history-record.ts';
import { storeFolder } from '../../src/history/store-folder.ts';
import {
  type ClientResult,
  createMachine,
  documentOf,
  errorOf,
  type Identity,
  type Machine,
  type Mishaps,
  noMishaps,
  type Place,
  plainIdentity,
  type RunningClient,
} from './client/machine.ts';
import { damageLog } from './damage.ts';
import { type Json, storeId } from './operations.ts';
import type { Schedule } from './schedule.ts';
import type { Effect, OtherChange } from './service/model.ts';
import { type ModelServer, monotonicMs, type SeenRequest, startModelServer } from './service/model-server.ts';
import type { KillAtMoment, Listening, Step, Tool, Typed } from './steps.ts';
import { commandLine, programOf, type Start, subjectsOf, writeInput } from './typed-command.ts';

/** One client, from its start to its end. */
export interface Run extends ClientResult {
  readonly typed: Typed | 'repair' | 'mark';
  readonly args: readonly string[];
  /** What the user wants from it; empty for `resume`. */
  readonly subjects: readonly string[];
  readonly mishaps: Mishaps;
  readonly identity: Identity;
  readonly tool: Tool;
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
}

/** What a record of the history says. */
export type HistoryLine = Pick<
  HistoryRecord,
  'id' | 'operation' | 'state' | 'idempotencyKey' | 'ifMatch' | 'supersededBy' | 'safetyBackupId' | 'open'
>;

/** What happened in a schedule: all that the promises are checked against. */
export interface Trace {
  readonly schedule: Schedule;
  readonly runs: readonly Run[];
  readonly requests: readonly SeenRequest[];
  /** At each of the two services. */
  readonly effectsAt: Readonly<Record<Place, readonly Effect[]>>;
  /** What another user has written into the settings, and what stands there at the end. */
  readonly settings: { readonly otherChange: OtherChange | null; readonly found: unknown };
  /** Numbers of requests that replaced what another user had set in the store since it was read. */
  readonly overwritten: readonly number[];
  /** As the user sees it at the end, or null where it could not be listed. */
  readonly history: readonly HistoryLine[] | null;
  /** Records by their ids as they were last seen, whether their logs are still there or not. */
  readonly records: ReadonlyMap<
    string,
    Pick<HistoryRecord, 'idempotencyKey' | 'path' | 'body' | 'requestLost' | 'number' | 'operation' | 'state'>
  >;
  readonly wasDamaged: boolean;
}

/** What is tried, and where. */
export interface PlayOptions {
  readonly root: string;
  readonly folder: string;
  readonly address: string;
  readonly withoutHistory: boolean;
  readonly fileSystemDefect: string | null;
  /** A service that does not keep its refusals. */
  readonly forgetsRefusals: boolean;
  /** Folder of the built program. */
  readonly program: string;
}

/** Well past any time that the program promises to keep, on a busy machine too. */
const timeoutMs = 40_000;

/** Plays a schedule: a server, a machine, and one step after the other. */
export async function play(schedule: Schedule, options: PlayOptions): Promise<Trace> {
  const subjects = [...schedule.subjects, schedule.otherSubject];
  await using server = await startModelServer({
    ...schedule,
    subjects,
    address: options.address,
    forgetsRefusals: options.forgetsRefusals,
  });
  const machine = createMachine({
    ...options,
    url: server.url,
    env: { STORECTL_CI_RUN_ID: String(schedule.seed) },
  });
  try {
    writeInput(machine, schedule);
    const runs: Run[] = [];
    const records = new Map<string, HistoryRecord>();
    let damagedFiles: readonly string[] = [];
    let wasDamaged = false;
    for (const step of schedule.steps) {
      if (step.do === 'damage') {
        const { folder } = openStore(machine, server.url).journal;
        const file = damageLog(folder, schedule.operation, step);
        // What is damaged was on disk, with its name: else a power cut makes it look like the log of a killed process.
        machine.syncFolder(folder);
        if (file !== null) damagedFiles = [...damagedFiles, file];
        wasDamaged ||= file !== null;
      } else if (step.do === 'other-user') server.models.own.changeStore(step.how, monotonicMs());
      else if (step.do === 'power-cut') machine.cutPower(step.cut);
      else {
        runs.push(...(await playStep({ schedule, server, machine, damagedFiles }, step)));
        if (step.do === 'repair') damagedFiles = [];
        for (const record of listHistory(machine, server.url)) records.set(record.id, record);
      }
    }
    await server.settled();
    const history = options.withoutHistory ? null : listHistory(machine, server.url);
    const { requests, models } = server;
    return {
      schedule,
      runs,
      requests,
      effectsAt: { own: models.own.effects, other: models.other.effects },
      settings: { otherChange: models.own.otherChange(), found: models.own.summary() },
      overwritten: models.own.overwritten(),
      history,
      records,
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

async function playStep(
  scene: Scene,
  step: Exclude<Step, { do: 'damage' | 'other-user' | 'power-cut' }>,
): Promise<Run[]> {
  if (step.do === 'repair') return [await runClient(scene, { ...plainRun, typed: 'repair' })];
  if (step.do === 'mark') return markInDoubt(scene);
  if (step.do === 'run') {
    const stopWaiting = await listenFrom(scene.server, step.listening);
    try {
      return [await runClient(scene, { ...plainRun, ...step })];
    } finally {
      await stopWaiting();
    }
  }
  if (step.do === 'stopped') return playStopped(scene, step);
  const both = { ...plainRun, inPair: true } as const;
  const first = runClient(scene, { ...both, typed: 'same', kill: step.kill });
  const second = sleep(step.gapMs).then(() => runClient(scene, { ...both, typed: step.second }));
  return Promise.all([first, second]);
}

/** Stops the command, runs another one to its end, and wakes the first. */
async function playStopped(
  scene: Scene,
  { stop, system, meanwhile }: Extract<Step, { do: 'stopped' }>,
): Promise<Run[]> {
  const start = {
    ...plainRun,
    inPair: true,
    typed: 'same' as const,
    mishaps: { ...noMishaps, stop, system },
  };
  const others: Run[] = [];
  const first = runClient(scene, start, async (client) => {
    if (!(await client.stopped())) return;
    others.push(await runClient(scene, { ...start, typed: meanwhile, mishaps: { ...noMishaps, system } }));
    client.wake();
  });
  return [await first, ...others];
}

/** Marks the only record in doubt by what is true. Does nothing where there is none, or several. */
async function markInDoubt(scene: Scene): Promise<Run[]> {
  const { server, machine, schedule } = scene;
  await server.settled();
  const lines = listHistory(machine, server.url);
  const [doubtful, ...others] = lines.filter(isInDoubt);
  const isClear = others.length === 0 && schedule.subjects.length === 1;
  if (doubtful === undefined || !isClear || doubtful.operation !== schedule.operation) return [];
  const own = server.models.own.effects.filter(({ operation }) => operation === schedule.operation);
  const known = lines.filter(
    ({ operation, state }) => operation === schedule.operation && state === 'applied',
  );
  // The service may know nothing of the key in a header, but its request does.
  const keyOfEffect = (effect: Effect) => {
    const request = server.requests.find(({ number }) => number === effect.request);
    return effect.idempotencyKey ?? request?.key ?? null;
  };
  const isThere =
    doubtful.idempotencyKey === null
      ? own.length > known.length
      : own.some((effect) => keyOfEffect(effect) === doubtful.idempotencyKey);
  const command = ['resume', doubtful.id, '--mark', isThere ? 'applied' : 'not-applied'];
  return [await runClient(scene, { ...plainRun, typed: 'mark', command })];
}

/** Returns what makes the service listen again, now if not before. */
async function listenFrom(server: ModelServer, listening: Listening): Promise<() => Promise<void>> {
  if (listening === 'always') return async () => {};
  await server.refuse();
  if (listening === 'never') return () => server.listen();
  const listens = sleep(listening.fromMs).then(() => server.listen());
  return () => listens;
}

const plainRun: Omit<Start, 'typed'> = {
  mishaps: noMishaps,
  kill: null,
  identity: plainIdentity,
  tool: 'command',
  inPair: false,
  command: null,
};

async function runClient(
  scene: Scene,
  start: Start,
  attend: (client: RunningClient) => Promise<void> = async () => {},
): Promise<Run> {
  const { schedule, server, machine, damagedFiles } = scene;
  const { typed, mishaps, kill, identity, tool, inPair } = start;
  const command = start.command ?? commandLine(schedule, start, () => listHistory(machine, server.url));
  const program = programOf(schedule, start, command);
  const startedMs = monotonicMs();
  const client = machine.start(program, mishaps, {
    hangsAfterMs: schedule.timeoutMs + timeoutMs,
    identity,
  });
  if (kill !== null) killAt(server, client, kill);
  await attend(client);
  const result = await client.result;
  const endedMs = monotonicMs();
  const ports = new Set(result.events.map((event) => (event.event === 'connect' ? event.port : 0)));
  const own = server.requests.filter(({ at, clientPort }) => at >= startedMs && ports.has(clientPort));
  return {
    ...result,
    typed,
    mishaps,
    identity,
    tool,
    startedMs,
    endedMs,
    inPair,
    args: program.does === 'command' ? program.args : [tool, ...command],
    subjects: subjectsOf(schedule, typed),
    requests: own.map((request) => (sawAnswer(result, request) ? request : { ...request, view: null })),
    error: errorOf(result),
    document: documentOf(result),
    damagedFiles: identity.place === 'own' ? damagedFiles : [],
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

/** Read as the program reads it, but without a process for it. Logs that are damaged are left out. */
function listHistory(machine: Machine, url: string): readonly HistoryRecord[] {
  return openStore(machine, url).snapshot().list().records;
}

function openStore(machine: Machine, url: string): StoreHistory {
  const store = { baseUrl: normalizeBaseUrl(url), storeId };
  const folder = storeFolder(path.join(machine.stateFolder(), 'history'), store);
  return openHistory({ folder, store, profile: 'main', process });
}
