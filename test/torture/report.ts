import { promises } from './promises/all.ts';
import type { Story } from './promises/story.ts';
import { describeFault } from './service/faults.ts';
import type { Step } from './steps.ts';

/** A promise that a schedule broke. */
interface Broken {
  readonly promise: string;
  readonly seed: number;
  readonly operation: string;
  readonly violations: readonly string[];
}

export interface Results {
  schedules: number;
  seconds: number;
  /** How often each kind of disturbance came up. */
  readonly disturbances: Map<string, number>;
  /** By promise: schedules in which it came up. */
  readonly ran: Map<string, number>;
  readonly broken: Broken[];
}

export type Summary = ReturnType<typeof summarize>;

const maxSeeds = 8;

export function summarize({ schedules, seconds, disturbances, ran, broken }: Results, seed: number) {
  return {
    schedules,
    seed,
    seconds: Math.round(seconds),
    broken: new Set(broken.map(({ seed }) => seed)).size,
    disturbances: Object.fromEntries([...disturbances].sort()),
    promises: promises.map(({ id, text }) => ({
      id,
      text,
      ran: ran.get(id) ?? 0,
      broken: broken.filter(({ promise }) => promise === id).sort((a, b) => a.seed - b.seed),
    })),
  };
}

export function toTable({ schedules, seed, seconds, disturbances, broken, promises: rows }: Summary): string {
  const width = Math.max(...rows.map(({ text }) => text.length));
  const lines = rows.map(({ id, text, ran, broken: found }) => {
    const seeds = found.slice(0, maxSeeds).map(({ seed }) => seed);
    const more = found.length > maxSeeds ? ' …' : '';
    const which = found.length === 0 ? '' : `  ${id}: seeds ${seeds.join(' ')}${more}`;
    return `${text.padEnd(width)}  ${String(ran).padStart(6)}  ${String(found.length).padStart(6)}${which}`;
  });
  return [
    `${'promise'.padEnd(width)}  ${'ran'.padStart(6)}  ${'broken'.padStart(6)}`,
    ...lines,
    '',
    ...Object.entries(disturbances).map(([name, count]) => `${String(count).padStart(8)}  ${name}`),
    '',
    `${schedules} schedules from seed ${seed} in ${seconds} s (${(schedules / Math.max(1, seconds)).toFixed(1)}/s); ${broken} broke a promise.`,
    '',
  ].join('\n');
}

/** `1200 of 10000 schedules, 1 broke a promise: 4711` */
export function describeProgress({ schedules, broken }: Results, planned: { schedules: number }): string {
  const seeds = [...new Set(broken.map(({ seed }) => seed))];
  const which = seeds.length === 0 ? '' : `: ${seeds.join(' ')}`;
  return `${schedules} of ${planned.schedules} schedules, ${seeds.length} broke a promise${which}\n`;
}

/** Only what is out of the ordinary. */
function describeStep(step: Step): string {
  const isOrdinary = (value: unknown) =>
    value === 0 || value === false || value === null || value === 'always';
  const isIdle = (key: string) => key === 'jumpMs' && 'mishaps' in step && step.mishaps.jumpAt === 0;
  return JSON.stringify(step, (key, value) => (isOrdinary(value) || isIdle(key) ? undefined : value));
}

/** Everything that happened, a line each. */
export function describeTrace(story: Story): string {
  const { schedule, effects, history } = story;
  const runs = [...story.runs, ...story.elsewhere].sort((one, other) => one.startedMs - other.startedMs);
  const requests = runs.flatMap((run) => run.requests);
  const { seed, operation, key, timeoutMs } = schedule;
  const startMs = runs[0]?.startedMs ?? 0;
  const seconds = (ms: number) => `${((ms - startMs) / 1000).toFixed(2)} s`;
  const lines = [`--- seed ${seed}: ${operation}, key ${key}, timeout ${timeoutMs / 1000} s`];
  for (const step of schedule.steps) lines.push(`step ${describeStep(step)}`);
  for (const run of runs) {
    const { args, identity, startedMs, endedMs, exitCode, error, stdout, stderr } = run;
    lines.push(
      `${seconds(startedMs)}–${seconds(endedMs)} storectl ${args.join(' ')}${identity.place === 'other' ? ' (elsewhere)' : ''}`,
      `  exit ${exitCode ?? 'killed'}${error ? ` ${JSON.stringify(error)}` : ''}`,
    );
    if (stdout) lines.push(`  stdout ${stdout.slice(0, 2000).trimEnd()}`);
    if (stderr && !error) lines.push(`  stderr ${stderr.slice(0, 1000).trimEnd()}`);
    for (const event of run.events.filter(({ event: kind }) => kind === 'wait' || kind === 'send')) {
      lines.push(`  ${seconds(event.ms)} ${JSON.stringify(event)}`);
    }
  }
  for (const { number, at, method, path, write, fault, view } of requests) {
    const what = write === null ? `${method} ${path}` : `${write.operation} ${write.subject}`;
    lines.push(`request ${number} ${seconds(at)} ${what}: ${describeFault(fault)} → ${view ?? 'no answer'}`);
  }
  for (const effect of effects) lines.push(`applied ${JSON.stringify(effect)}`);
  for (const { id, operation: name, state, idempotencyKey } of history ?? []) {
    lines.push(`history ${id} ${name} ${state} ${idempotencyKey ?? ''}`);
  }
  for (const { id, check } of promises) {
    for (const violation of check(story) ?? []) lines.push(`BROKEN ${id}: ${violation}`);
  }
  return `${lines.join('\n')}\n`;
}
