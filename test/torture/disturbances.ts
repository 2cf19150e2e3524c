import type { Run, Trace } from './play.ts';
import { wasKilled } from './promises/story.ts';

/** Counts what went wrong in a schedule, by kind: only what really happened. */
export function countDisturbances(
  { schedule, runs, requests, wasDamaged }: Trace,
  counts: Map<string, number>,
): void {
  const count = (name: string, times: number | boolean) =>
    counts.set(name, (counts.get(name) ?? 0) + Number(times));
  const these = (is: (run: Run) => boolean) => runs.filter(is).length;
  count(
    'commands',
    these(({ tool }) => tool === 'command'),
  );
  count(
    'calls of the library',
    these(({ tool }) => tool === 'library'),
  );
  count(
    'calls of an assistant',
    these(({ tool }) => tool === 'mcp'),
  );
  count('requests', requests.length);
  count('killed clients', these(wasKilled));
  count(
    'power cut with a client',
    these((run) => wasKilled(run) && run.mishaps.powerCut !== null),
  );
  count(
    'full disk',
    these(({ mishaps: { fullAt }, events }) => fullAt > 0 && reached(events, fullAt)),
  );
  count(
    'output that fails',
    these(({ mishaps }) => mishaps.stdoutFull || mishaps.outputFull),
  );
  count(
    'clock off, or jumps',
    these(({ mishaps }) => mishaps.offsetMs !== 0 || mishaps.jumpAt > 0),
  );
  count(
    'clock off by a year or more',
    these(
      ({ mishaps: { offsetMs, jumpAt, jumpMs } }) => Math.abs(offsetMs) + (jumpAt && Math.abs(jumpMs)) > 3e10,
    ),
  );
  count('two clients at once', these(({ inPair }) => inPair) / 2);
  count(
    'commands at another base URL',
    these(({ identity }) => identity.place === 'other'),
  );
  count(
    'another key, profile or spelling',
    these(({ identity }) => isOdd(identity)),
  );
  for (const { fault } of requests) {
    const { ending } = fault;
    const wait = ending.does === 'status' ? ending.wait : null;
    if (ending.does !== 'answer') count(`response: ${ending.does}`, 1);
    if (ending.does === 'contradict') count(`response: names another ${ending.what}`, 1);
    if (fault.before.length > 0) count('response: 1xx before it', 1);
    if (fault.applies === 'later') count('applied after the connection ended', 1);
    if (wait !== null)
      count(
        `Retry-After of ${wait.ms >= 1e10 ? 'a year or 1e20 s' : wait.ms > 30_000 ? 'minutes' : 'seconds'}`,
        1,
      );
  }
  for (const step of schedule.steps) {
    if (step.do === 'damage') count(`damaged log: ${step.how}`, wasDamaged);
    if (step.do === 'power-cut') count('power cut while nothing runs', 1);
    if (step.do === 'other-user') count('another user changes the store', 1);
  }
  for (const typed of ['resume', 'resume-newest', 'undo', 'repair', 'mark'] as const)
    count(
      `command: ${typed}`,
      these((run) => run.typed === typed),
    );
}

function reached(events: Run['events'], step: number): boolean {
  const end = events.findLast(({ event }) => event === 'exit');
  return end === undefined || (end.event === 'exit' && end.steps >= step);
}

function isOdd({ spelling, key, profile }: Run['identity']): boolean {
  return spelling !== 'plain' || key !== 0 || profile !== 'main';
}
