import { describe, expect, test } from 'vitest';
import {
  judgeLiveness,
  type ProcessIdentity,
  readMachine,
} from '../../../src/base/files/process-identity.ts';
import { failWith } from '../../helpers/broken-disk.ts';

describe('a process', () => {
  const mac: ProcessIdentity = { pid: 10, host: 'a', bootId: null, pidNamespace: null, startTime: null };
  const linux: ProcessIdentity = { ...mac, bootId: 'boot-1', pidNamespace: 'pid:[1]', startTime: '500' };
  const gone = () => 'gone' as const;
  const startedAt = (startTime: string | null) => () => ({ startTime });

  test.each([
    ['runs', linux, linux, startedAt('500'), 'alive'],
    ['is gone', linux, linux, gone, 'dead'],
    ['has a pid that was given to another', linux, linux, startedAt('900'), 'dead'],
    ['is hidden from this user', linux, linux, startedAt(null), 'alive'],
    ['ran before the machine was started again', linux, { ...linux, bootId: 'boot-0' }, gone, 'unsure'],
    ['is in another container', linux, { ...linux, pidNamespace: 'pid:[2]' }, gone, 'unsure'],
    ['has the host name of another container', linux, { ...linux, host: 'b' }, startedAt('500'), 'alive'],
    ['runs where no start times are shown', mac, mac, startedAt(null), 'alive'],
    ['is gone where no start times are shown', mac, mac, gone, 'dead'],
    ['runs on another such machine', mac, { ...mac, host: 'b' }, gone, 'unsure'],
    ['runs on a system of another kind', mac, linux, gone, 'unsure'],
  ])('that %s', (_what, self, owner, look, liveness) => {
    expect(judgeLiveness(self, owner, look)).toBe(liveness);
  });
});

test('a pid without a process belongs to a process that has ended', async () => {
  const gone = () => failWith('ESRCH');
  const hidden = () => failWith('EPERM');
  const { self } = readMachine(process);
  const judge = (kill: typeof process.kill, pid = 999_999_999) =>
    readMachine({ pid: process.pid, platform: process.platform, kill }).liveness({ ...self, pid });
  expect(judge(hidden, self.pid)).toBe('alive');
  expect([judge(gone), judge(hidden)]).toEqual(['dead', 'alive']);
});
