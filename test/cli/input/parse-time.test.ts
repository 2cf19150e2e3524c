import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTime } from '../../../src/cli/input/parse-time.ts';
import { newMachine } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const now = Date.parse('2026-10-23T12:34:56.789Z');

describe('a time as people type it, in the local zone', () => {
  test.each([
    ['2026-12-01', '2026-11-30T23:00:00Z'],
    ['2026-12-01 09:00', '2026-12-01T08:00:00Z'],
    ['2026-07-01 9:00', '2026-07-01T07:00:00Z'],
    ['2026-12-01T09:00:30', '2026-12-01T08:00:30Z'],
    ['2026-12-01 09:00+02:00', '2026-12-01T07:00:00Z'],
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00Z'],
    ['2026-12-01T09:00:00.5+02:00', '2026-12-01T09:00:00.5+02:00'],
    ['in 3 days', '2026-10-26T13:34:00Z'],
    ['in 1 hour', '2026-10-23T13:34:00Z'],
    ['in 1 week', '2026-10-30T13:34:00Z'],
    ['90 minutes ago', '2026-10-23T11:04:00Z'],
  ])('%s', (text, utc) => {
    expect(parseTime(text, now)).toBe(utc);
  });

  test.each([
    ...['', 'soon', 'in 3', '3 days', 'in 3 days ago', '01.12.2026', '12/01/2026', '1700000000', '2026-12'],
    ...['2026-02-30', '2026-13-01', '2026-12-01 25:00', '2026-12-01 09:60', '2026-02-30T09:00:00Z'],
    // The clocks skip this hour.
    '2026-03-29 02:30',
  ])('%j is not a time', (text) => {
    expect(parseTime(text, now)).toBeNull();
  });
});

describe('times in commands', () => {
  test.each([
    ['disputes open --reason r --deadline-at', 'deadlineAt'],
    ['disputes open --reason r --appeal-deadline-at', 'appealDeadlineAt'],
    ['blog create --title t --content-md c --scheduled-at', 'scheduledAt'],
    ['notify mark-read --before', 'before'],
  ])('%s', async (command, field) => {
    const args = [...command.split(' '), '2026-12-01 09:00', '--dry-run', '--json'];
    const { exitCode, stdout } = await newMachine().run(['--demo', ...args]);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).body).toMatchObject({ [field]: '2026-12-01T08:00:00Z' });
  });

  test.each([
    ['--deadline-at', 'soon'],
    ['--set', 'deadlineAt=soon'],
  ])('%s %s is refused before anything is sent', async (...args) => {
    const { server, machine } = await setScene({ answers: [] });

    const result = await machine.run(['disputes', 'open', '--reason', 'r', ...args]);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(
      /^error: --deadline-at must be a time \(got "soon"\)\n {2}for example 2026-12-01, .*in 3 days/,
    );
    expect(server.connections).toBe(0);
  });
});
