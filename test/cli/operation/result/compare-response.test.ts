import { expect, test } from 'vitest';
import { answer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

test('other values than were sent are listed on stderr, and the exit code stays 0', async () => {
  const body = { name: ' Shop ', quietHours: { start: '22:00', end: '07:00' }, description: null };
  const { machine } = await setScene({ answers: [answer(200, body)] });
  const values = [
    'name=Shop',
    'quietHours.start="21:00"',
    'quietHours.end="07:00"',
    'description=',
    'other=1',
  ];

  const { exitCode, stderr } = await machine.run([
    'store',
    'update',
    ...values.flatMap((value) => ['--set', value]),
  ]);

  expect(exitCode).toBe(0);
  const listed = stderr.split('\n').filter((line) => line.includes('the service returned'));
  expect(listed).toEqual(['quietHours.start: sent 21:00, the service returned 22:00']);
});

test('a secret is not listed', async () => {
  const url = 'https://discord.com/api/webhooks/1/secret-token';
  const body = { id: 'e-1', kind: 'discord', name: 'Ops', url: 'https://discord.com/***', events: ['a'] };
  const { machine } = await setScene({ answers: [answer(201, body)] });

  const args = ['notify', 'add-endpoint', '--name', 'Ops', '--url', url, '--events', 'a'];
  const { exitCode, stderr } = await machine.run(args);

  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('secret-token');
});

test('a list that is answered with an object is not compared: a restore says what each section contains', async () => {
  const body = {
    backupId: 'ada1577f-64c8-4439-84ae-ac01e33ba1fa',
    preRestoreBackupId: 'b-2',
    sections: { store: { count: 1, sha256: 'a' } },
  };
  const { machine } = await setScene({ answers: [answer(200, body)] });

  const args = typed`backup restore ada1577f-64c8-4439-84ae-ac01e33ba1fa --sections store --confirm ada1577f-64c8-4439-84ae-ac01e33ba1fa --no-safety-backup`;
  const { exitCode, stderr } = await machine.run(args);

  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('the service has');
});
