import { expect, test } from 'vitest';
import { operationIds } from './operations.ts';
import { makeSchedule } from './schedule.ts';

const seeds = Array.from({ length: 500 }, (_, index) => index + 1);

test('a seed always makes the same schedule', () => {
  for (const seed of seeds) expect(makeSchedule(seed)).toEqual(makeSchedule(seed));
});

test('every operation, every kind of step and every kind of fault comes up', () => {
  const schedules = seeds.map((seed) => makeSchedule(seed));

  expect(new Set(schedules.map(({ operation }) => operation))).toEqual(new Set(operationIds));
  const steps = schedules.flatMap((schedule) => schedule.steps);
  expect(new Set(steps.map((step) => step.do))).toEqual(
    new Set(['run', 'pair', 'damage', 'repair', 'mark', 'other-user', 'power-cut']),
  );
  const typed = steps.flatMap((step) => (step.do === 'run' ? [step.typed] : []));
  expect(new Set(typed)).toEqual(
    new Set([
      ...['same', 'fresh', 'other-subject', 'key-with-other-arguments'],
      ...['resume', 'resume-newest', 'undo', 'store-update'],
    ]),
  );
  const runs = steps.flatMap((step) => (step.do === 'run' ? [step] : []));
  expect(new Set(runs.map(({ tool }) => tool))).toEqual(new Set(['command', 'library', 'mcp']));
  expect(new Set(runs.map(({ identity }) => identity.place))).toEqual(new Set(['own', 'other']));
  const faults = schedules.flatMap(({ writeFaults, readFaults }) => [...writeFaults, ...readFaults]);
  expect(new Set(faults.map(({ ending }) => ending.does))).toEqual(
    new Set([
      ...['answer', 'answer-and-close', 'reset', 'close', 'cut', 'hang', 'status'],
      ...['in-progress', 'unreadable', 'contradict', 'answer-twice'],
    ]),
  );
  expect(schedules.filter(({ subjects }) => subjects.length > 1).length).toBeGreaterThan(0);
});
