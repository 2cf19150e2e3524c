import { buildPath } from '../../src/contract/operation.ts';
import { findOperation } from '../../src/contract/operations/operations.ts';
import { type HistoryRecord, isInDoubt } from '../../src/history/record/history-record.ts';
import type { Identity, Machine, Mishaps, Program } from './client/machine.ts';
import { type OperationModel, operations, storeId, uuidOf } from './operations.ts';
import type { Run } from './play.ts';
import type { Schedule } from './schedule.ts';
import { isAboutEarlier, type KillAtMoment, type Tool } from './steps.ts';

/** A client that is to be started. */
export interface Start {
  readonly typed: Run['typed'];
  readonly mishaps: Mishaps;
  readonly kill: KillAtMoment | null;
  readonly identity: Identity;
  readonly tool: Tool;
  readonly inPair: boolean;
  /** Null for what `typed` stands for. */
  readonly command: readonly string[] | null;
}

/** What is started for it. */
export function programOf(
  schedule: Schedule,
  { typed, tool, mishaps }: Start,
  command: readonly string[],
): Program {
  const { operation, key, seed, timeoutMs } = schedule;
  const timeout = ['--timeout', String(timeoutMs / 1000)];
  const output = mishaps.outputFull ? ['--output-file', 'output/answer.json'] : [];
  if (tool === 'command') return { does: 'command', args: [...command, ...output, '--json', ...timeout] };
  const model: OperationModel = operations[operation];
  const [subject = ''] = subjectsOf(schedule, typed);
  const given = key === 'given' ? { idempotencyKey: `key-${seed}` } : {};
  const inputs = { ...model.input(subject), ...given };
  if (tool === 'library') {
    const method = typed === 'resume' ? 'resume' : model.method;
    return { does: 'library', call: { method, input: inputs, timeoutMs } };
  }
  const call = { tool: operation.replace(/[.-]/g, '_'), inputs, confirm: uuidOf(subject) };
  const allowed = model.class === 'read' ? [] : ['--allow', operation];
  return { does: 'mcp', args: ['mcp', ...allowed, ...timeout], call };
}

export function subjectsOf(schedule: Schedule, typed: Run['typed']): readonly string[] {
  if (isAboutEarlier(typed) || typed === 'store-update' || typed === 'list') return [];
  const isOther = typed === 'other-subject' || typed === 'key-with-other-arguments';
  return isOther ? [schedule.otherSubject] : schedule.subjects;
}

/** What the user types; `records` are newest first. */
export function commandLine(
  schedule: Schedule,
  { typed }: Pick<Start, 'typed'>,
  records: () => readonly HistoryRecord[],
): string[] {
  const { operation, key, seed, safetyBackup } = schedule;
  const model: OperationModel = operations[operation];
  if (typed === 'resume') return ['resume'];
  if (typed === 'repair') return ['history', 'repair'];
  if (typed === 'raw') return rawCommand(schedule);
  if (typed === 'list') return [...(model.list ?? [])];
  if (typed === 'store-update') return ['store', 'update', '--name', 'By this machine'];
  const lines = typed === 'resume-newest' || typed === 'undo' ? records() : [];
  if (typed === 'resume-newest') return ['resume', lines.find(isInDoubt)?.id ?? 'k3f9a2'];
  if (typed === 'undo') {
    const newest = lines.find((record) => record.operation === operation && record.state === 'applied');
    return ['undo', newest?.id ?? 'k3f9a2', '--confirm', newest?.id ?? 'k3f9a2'];
  }
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

/** Other ways to write a path. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path.replace(/[\da-f]{8}-[\da-f-]{27}/g, (uuid) => uuid.toUpperCase()),
  (path) => path.replaceAll('0', '%30'),
  (path) => `${path}?source=cron`,
  (path) => `${path}/`,
];

/** The request of the command by `api`; the seed chooses the spelling. */
function rawCommand({ operation, subjects: [subject = ''], seed }: Schedule): string[] {
  const known = findOperation(operation);
  if (known === undefined) throw new Error(`no operation ${operation}`);
  const input = operations[operation].input(subject);
  const parameters = Object.entries({ ...input, storeId }).filter(([name]) =>
    known.path.includes(`{${name}}`),
  );
  const fields = Object.entries(input).filter(([name]) => !known.path.includes(`{${name}}`));
  const path = buildPath(known, Object.fromEntries(parameters) as Record<string, string>);
  const spell = spellings[(seed >> 1) % spellings.length] ?? String;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return [
    ...['api', known.method, spell(path)],
    ...fields.flatMap(([name, value]) => ['-f', `${name}=${textOf(value)}`]),
  ];
}

export function writeInput(machine: Machine, { operation, subjects }: Schedule): void {
  if (operation === 'blog.create') {
    for (const subject of subjects)
      machine.writeFile(`${subject}.md`, `---\ntitle: ${subject}\n---\nText.\n`);
  }
  if (operation === 'disputes.decide') {
    const rows = subjects.map((subject) => `${uuidOf(subject)},won,Delivered.`);
    machine.writeFile('decisions.csv', ['disputeId,status,resolution', ...rows, ''].join('\n'));
  }
}
