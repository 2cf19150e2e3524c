import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answer, type FaultServer } from '../../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../../helpers/scene.ts';
import { leaveUnreported, logFiles } from '../../helpers/seed-history.ts';
import {
  cutAt,
  flipBit,
  lineOf,
  readWrittenLog,
  replaceLine,
  type WrittenLog,
} from '../../helpers/written-log.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

/** A scene with one change in its history: its id, and the file of its log. */
async function recordOne(profile: readonly string[] = []) {
  const { server, machine } = await setScene({ answers: [answer(201, { id: 'b-1' })] });
  await machine.run(['profile', 'set', 'outlet', '--store', scriptedStore.storeId]);
  await machine.run([...create, ...profile]);
  const { stdout } = await machine.run(['history', 'list', '--json', ...profile]);
  const [{ id }] = JSON.parse(stdout);
  return { server, machine, id, file: logFiles(machine).at(-1) ?? '' };
}

function damage(file: string, how: (log: WrittenLog) => Buffer): void {
  writeFileSync(file, how(readWrittenLog(file)));
}

/** Requests that change something. */
const changes = ({ requests }: FaultServer) => requests.filter(({ method }) => method !== 'GET').length;

test.each(['closed', 'open'])('what has to read a damaged log that is %s sends nothing', async (what) => {
  const { server, machine, id, file: closed } = await recordOne();
  const file = what === 'open' ? leaveUnreported(machine) : closed;
  damage(file, (log) => flipBit(log, lineOf(log, 'request')));
  const before = changes(server);

  const same = [create, ['resume'], ['undo', id], ['api', 'POST', '/v1/stores/{store}/operations/backups']];
  const others = [
    ['settings', 'save', '--quiet-hours-start', '21:00'],
    ['blog', 'create', '--title', 'a', '--content-md', 'b'],
    ['api', 'POST', '/v1/x', '-f', 'a=b'],
  ];
  const refused = [...same, ...(what === 'open' ? others : [])];
  for (const args of refused) {
    const { exitCode, stdout, stderr } = await machine.run([...args, '--json']);
    expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 11, stdout: '' });
    const { error } = JSON.parse(stderr.split('\n').at(-2) ?? '');
    expect(error).toMatchObject({ code: 'history_damaged', outcome: 'not_sent' });
    expect(error.message).toContain(file);
    expect(`${error.message} ${error.hint}`).toContain('storectl history repair');
  }
  expect(changes(server)).toBe(before);
  if (what === 'closed')
    for (const args of others) expect(await machine.run(args)).toMatchObject({ exitCode: 0 });
  expect(await machine.run(['settings', 'show'])).toMatchObject({ exitCode: 0 });
  expect(await machine.run(['history', 'list'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/has a damaged line|ends before its first record/),
  });
});

test('what lost no more than its closing line with the power is not damaged, and resume reports it', async () => {
  const { server, machine, id, file } = await recordOne();
  damage(file, (log) => replaceLine(log, lineOf(log, 'closing'), '\0\0\0'));
  const before = changes(server);

  expect(await machine.run(['history', 'repair'])).toMatchObject({ stderr: 'Nothing is damaged.\n' });
  const { exitCode, stdout } = await machine.run(['resume', '--json']);
  expect({ exitCode, isReported: stdout.includes(id) }).toEqual({ exitCode: 0, isReported: true });
  expect(await machine.run(['resume'])).toMatchObject({ exitCode: 0, stdout: '' });
  expect(changes(server)).toBe(before);
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
});

test('repair sets a copy aside, says what can be read, and changes are sent again', async () => {
  const { machine, id, file } = await recordOne();
  damage(file, (log) => flipBit(log, lineOf(log, 'outcome')));

  const repaired = await machine.run(['history', 'repair']);

  expect(repaired).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('A copy is in ') });
  expect(repaired.stdout).toMatch(new RegExp(`^${id}  backup\\.create, nightly, in doubt`));
  expect(await machine.run(['history', 'repair'])).toMatchObject({ stderr: 'Nothing is damaged.\n' });
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
});

test.each([[[]], [['--profile', 'outlet']]])(
  'what doctor and the error say to run repairs the history, with %j',
  async (profile) => {
    for (const quote of ['doctor', 'error']) {
      const { machine, file } = await recordOne(profile);
      damage(file, (log) => cutAt(log, lineOf(log, 'request').start + 20));

      const diagnosis = await machine.run(['doctor', '--json', ...profile]);
      expect(diagnosis.exitCode).toBe(11);
      expect(diagnosis.stderr).toContain(file);
      const refused = await machine.run([...create, ...profile]);
      expect(refused.exitCode).toBe(11);

      const text = quote === 'doctor' ? diagnosis.stderr : refused.stderr;
      const command = /`storectl ([^`]+)`/.exec(text)?.[1]?.split(' ') ?? [];
      expect(command.slice(-2)).toEqual(['history', 'repair']);
      expect(await machine.run(command)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('Repaired 1 log'),
      });

      const { stdout } = await machine.run(['doctor', '--json', ...profile]);
      expect(JSON.parse(stdout)).not.toContainEqual(expect.objectContaining({ status: 'problem' }));
      expect(await machine.run([...create, ...profile])).toMatchObject({ exitCode: 0 });
    }
  },
);
