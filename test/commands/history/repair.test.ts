import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';

const storeId = '4be5b2f4-9b8a-4f0e-8d2e-000000000001';
const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

async function scene(profile: readonly string[] = []) {
  const server = await startFaultServer([answer(201, { id: 'b-1' })]);
  const machine = machineFor({ origin: server.url, storeId, apiKey: 'key-of-a-test' });
  await machine.run([...create, ...profile]);
  const { stdout } = await machine.run(['history', 'list', '--json', ...profile]);
  const [{ id }] = JSON.parse(stdout);
  const name = readdirSync(machine.stateDirectory, { recursive: true, encoding: 'utf8' }).find((file) =>
    file.endsWith(`${id}.json`),
  );
  return { server, machine, id, file: path.join(machine.stateDirectory, name ?? '') };
}

test('while a record is damaged no change is sent, and reads go on', async () => {
  const { server, machine, file } = await scene();
  writeFileSync(file, readFileSync(file, 'utf8').replace('/backups', '/backupz'));
  const before = server.requests.length;

  for (const args of [
    create,
    ['resume'],
    ['disputes', 'decide', 'd-1', '--status', 'won', '--resolution', 'ok', '--confirm', 'd-1'],
    ['settings', 'save', '--quiet-hours-start', '21:00'],
    ['blog', 'create', '--title', 'a', '--content-md', 'b'],
    ['api', 'POST', '/v1/x', '-f', 'a=b'],
  ]) {
    const { exitCode, stdout, stderr } = await machine.run([...args, '--json']);
    expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 11, stdout: '' });
    const { error } = JSON.parse(stderr.split('\n').at(-2) ?? '');
    expect(error).toMatchObject({ code: 'history_damaged', outcome: 'not_sent' });
    expect(error.message).toContain(file);
    expect(`${error.message} ${error.hint}`).toContain('storectl history repair');
  }
  expect(server.requests).toHaveLength(before);
  expect(await machine.run(['settings', 'show'])).toMatchObject({ exitCode: 0 });
  const listed = await machine.run(['history', 'list']);
  expect(listed).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('does not match its checksum'),
  });
  await server.close();
});

test('repair moves the record aside, says what can be read, and changes are sent again', async () => {
  const { server, machine, id, file } = await scene();
  writeFileSync(file, readFileSync(file, 'utf8').replace('"applied"', '"applie"'));

  const repaired = await machine.run(['history', 'repair']);

  expect(repaired).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`Moved to`) });
  expect(repaired.stdout).toContain(`${id}  backup.create`);
  expect(repaired.stdout).toContain(`store ${storeId}`);
  expect(await machine.run(['history', 'repair'])).toMatchObject({ stderr: 'No damaged records.\n' });
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
  await server.close();
});

/** The words of the first command that a text quotes. */
function quotedCommand(text: string): string[] {
  return /`storectl ([^`]+)`/.exec(text)?.[1]?.split(' ') ?? [];
}

test.each([[[]], [['--profile', 'outlet']]])(
  'what doctor and the error say to run repairs the history, with %j',
  async (profile) => {
    for (const quote of ['doctor', 'error']) {
      const { server, machine, file } = await scene(profile);
      writeFileSync(file, readFileSync(file, 'utf8').slice(0, 300));

      const diagnosis = await machine.run(['doctor', '--json', ...profile]);
      expect(diagnosis.exitCode).toBe(11);
      const found: { check: string; message: string; fix: string }[] = JSON.parse(diagnosis.stdout);
      const record = found.find(({ check }) => check === 'record');
      expect(record?.message).toContain(file);
      const refused = await machine.run([...create, ...profile]);
      expect(refused.exitCode).toBe(11);

      const command = quotedCommand(quote === 'doctor' ? (record?.fix ?? '') : refused.stderr);
      expect(command.slice(-2)).toEqual(['history', 'repair']);
      expect(await machine.run(command)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(`Moved 1 damaged record aside`),
      });

      const { stdout } = await machine.run(['doctor', '--json', ...profile]);
      expect(JSON.parse(stdout)).not.toContainEqual(expect.objectContaining({ check: 'record' }));
      expect(await machine.run([...create, ...profile])).toMatchObject({ exitCode: 0 });
      await server.close();
    }
  },
);
