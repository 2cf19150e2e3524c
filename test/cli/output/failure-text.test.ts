import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/cli/core/errors.ts';
import {
  adviseAssistant,
  describeFailure,
  describeItem,
  failureDocument,
} from '../../../src/cli/output/failure-text.ts';

const now = Date.parse('2026-12-01T12:00:00Z');
const change = { now, withoutEffect: 'nothing was sent' };
const refused: Failure = { code: 'http_409', exitCode: 6, what: 'it is locked', outcome: 'rejected' };
const unsent: Failure = { code: 'connection_refused', exitCode: 9, what: 'no answer', outcome: 'not_sent' };
const title = { field: 'title', flag: '--title', detail: 'must not be empty' };
const text = (failure: Failure, audience: Parameters<typeof describeFailure>[1] = change) =>
  describeFailure(failure, audience).message;

describe('what had no effect is said', () => {
  test('after a change that was not sent, and only then', () => {
    expect(text(unsent)).toBe('no answer; nothing was sent');
    expect(text(unsent, { now })).toBe('no answer');
    expect(text(refused)).toBe('it is locked');
    expect(text({ ...unsent, outcome: 'unknown' })).toBe('no answer');
  });

  test('not of input that is wrong or missing', () => {
    for (const exitCode of [2, 3] as const) expect(text({ ...unsent, exitCode })).toBe('no answer');
  });

  test('after what was done before it failed', () => {
    const done = ['safety backup 01a1 was taken'];
    const restore = { now, withoutEffect: 'nothing was restored' };
    expect(text({ ...refused, done }, restore)).toBe(
      'safety backup 01a1 was taken, but nothing was restored: it is locked',
    );
    expect(text({ ...unsent, outcome: 'unknown', done }, restore)).toBe(
      'safety backup 01a1 was taken: no answer',
    );
  });

  test('before the lines below it', () => {
    expect(text({ ...unsent, lines: ['Name  A → B'] })).toBe('no answer; nothing was sent:\n  Name  A → B');
  });
});

describe('fields', () => {
  const invalid: Failure = { code: 'invalid_input', exitCode: 2, fields: [title] };

  test('are named by their flags, or as the questions name them', () => {
    expect(text(invalid)).toBe('--title must not be empty');
    expect(text(invalid, { now, nameOf: () => 'Title' })).toBe('Title must not be empty');
    expect(text({ ...refused, status: 422, fields: [{ ...title, flag: null }] })).toBe(
      'it is locked:\n  title: must not be empty',
    );
  });

  test('that are missing are listed with what to type', () => {
    const missing = (name: string) => ({
      field: name,
      flag: `--${name}`,
      give: `--${name} X`,
      detail: `the ${name}`,
    });
    const one: Failure = { code: 'input_needed', exitCode: 3, fields: [missing('a')] };
    expect(text(one)).toBe('--a X is required (the a)');
    expect(text({ ...one, fields: [missing('a'), missing('label')] })).toBe(
      'required values are missing:\n  --a X      The a\n  --label X  The label',
    );
    const spoken = describeFailure(
      { ...one, fields: [missing('a'), missing('label')] },
      { now: Date.now(), plain: true },
    );
    expect(spoken.message).toBe('required values are missing:\n  --a X: The a\n  --label X: The label');
  });

  test('of an item of a batch stand in one line', () => {
    expect(describeItem({ ...refused, status: 422, code: 'taken', fields: [title] }, undefined)).toBe(
      'title: must not be empty (422 taken)',
    );
    expect(describeItem({ ...unsent, outcome: 'unknown' }, 'k3f9a2')).toBe('no answer (k3f9a2)');
  });
});

describe('next steps', () => {
  test('name the profile in commands, and when to try again', () => {
    const next = [
      { say: 'check the network' },
      { run: ['resume', 'k3f9a2'], rest: 'before you go on', after: now + 90_000 },
      { again: true, after: now + 5_000 },
    ] as const;
    const { steps } = describeFailure({ ...unsent, next }, { now, flags: { profile: 'outlet' } });
    expect(steps.join('\n')).toMatch(
      /^check the network\nrun `storectl --profile outlet resume k3f9a2` after \S+ \S+ \S+ \(.*\) before you go on, or add --timeout 180 to wait until then, then run the command again in 5 s$/,
    );
  });

  test('of an assistant name no flag and no terminal', () => {
    const next = [{ say: 'add --timeout 60, or run it in a terminal' }];
    const called = { tool: 'backup_create', exitCode: 9, outcome: 'not_sent', historyId: undefined } as const;
    const advice = adviseAssistant({ ...called, failure: { ...unsent, next } });
    expect(advice).toBe('The service failed or was not reached, nothing was applied. Call again later.');
  });
});

test('the JSON error has the documented keys, and nothing else', () => {
  const failure: Failure = {
    ...refused,
    status: 422,
    requestId: 'r-1',
    operationId: 'k3f9a2',
    reason: 'locked',
    done: ['x'],
    next: [{ again: true }],
    fields: [{ ...title, give: '--title TEXT' }],
  };
  expect(JSON.parse(JSON.stringify(failureDocument(failure, { now })))).toEqual({
    code: 'http_409',
    message: 'x: it is locked:\n  --title: must not be empty',
    hint: 'run the command again',
    outcome: 'rejected',
    status: 422,
    requestId: 'r-1',
    operationId: 'k3f9a2',
    fields: [title],
  });
});
