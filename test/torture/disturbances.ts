import type { Run, Trace } from './play.ts';
import { wasKilled, wasStopped } from './promises/story.ts';

/** What a run can be or meet, in the words of the report. */
const kindsOfRun: Readonly<Record<string, (run: Run) => boolean>> = {
  commands: ({ tool }) => tool === 'command',
  'calls of the library': ({ tool }) => tool === 'library',
  'calls of an assistant': ({ tool }) => tool === 'mcp',
  'killed clients': wasKilled,
  'power cut with a client': (run) => wasKilled(run) && run.mishaps.powerCut !== null,
  'full disk': ({ mishaps: { fullAt }, events }) => fullAt > 0 && reached(events, fullAt),
  'output that fails': ({ mishaps }) => mishaps.stdoutFull || mishaps.outputFull,
  'clock off, or jumps': ({ mishaps }) => mishaps.offsetMs !== 0 || mishaps.jumpAt > 0,
  'clock off by a year or more': ({ mishaps: { offsetMs, jumpAt, jumpMs } }) =>
    Math.abs(offsetMs) + (jumpAt && Math.abs(jumpMs)) > 3e10,
  'stopped and woken clients': (run) => wasStopped(run),
  'stopped clients that lost a lock': (run) => wasStopped(run) && run.stderr.includes('lost the lock'),
  'clock set back while it runs': ({ mishaps: { jumpAt, jumpMs } }) => jumpAt > 0 && jumpMs < 0,
  'raw requests': ({ typed }) => typed === 'raw',
  lists: ({ typed }) => typed === 'list',
  'clients beside another': ({ inPair }) => inPair,
  'commands at another base URL': ({ identity }) => identity.place === 'other',
  'another key, profile or spelling': ({ identity: { spelling, key, profile } }) =>
    spelling !== 'plain' || key !== 0 || profile !== 'main',
  'command: resume': ({ typed }) => typed === 'resume',
  'command: resume-newest': ({ typed }) => typed === 'resume-newest',
  'command: undo': ({ typed }) => typed === 'undo',
  'command: repair': ({ typed }) => typed === 'repair',
  'command: mark': ({ typed }) => typed === 'mark',
};

/** Counts what went wrong in a schedule, by kind: only what really happened. */
export function countDisturbances(
  { schedule, runs, requests, wasDamaged }: Trace,
  counts: Map<string, number>,
): void {
  const count = (name: string, times: number) => counts.set(name, (counts.get(name) ?? 0) + times);
  for (const [name, is] of Object.entries(kindsOfRun)) count(name, runs.filter(is).length);
  count('requests', requests.length);
  count(`service: ${schedule.service}`, 1);
  count('delivered twice', requests.filter(({ fault }) => fault.isDeliveredTwice).length);
  count('refused by the service, and kept', requests.filter(({ isKept }) => isKept).length);
  count(
    'another user changed it right before',
    requests.filter(({ fault }) => fault.otherUser !== undefined).length,
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
    if (step.do === 'damage') count(`damaged log: ${step.how}`, Number(wasDamaged));
    if (step.do === 'power-cut') count('power cut while nothing runs', 1);
    if (step.do === 'other-user') count(`another user of the store: ${step.how}`, 1);
  }
}

function reached(events: Run['events'], step: number): boolean {
  const end = events.findLast(({ event }) => event === 'exit');
  return end === undefined || (end.event === 'exit' && end.steps >= step);
}
