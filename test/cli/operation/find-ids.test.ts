import { describe, expect, test } from 'vitest';
import { setScene } from '../../helpers/scene.ts';

describe('a short id that this machine does not know', () => {
  test.each([
    [
      'backup restore',
      ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'],
      ['--sections', 'store'],
    ],
    ['backup show', ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'], []],
    ['blog show', ['blog', 'create', '--title', 'Ink', '--content-md', 'x', '-q'], []],
  ])('%s finds it in the list of the service', async (command, create, flags) => {
    const { machine, anotherMachine } = await setScene();
    const id = (await machine.run(create)).stdout.trim();
    const short = id.slice(0, 13);
    const confirm = command.endsWith('show') ? [] : ['--confirm', short];

    const run = await anotherMachine().run([...command.split(' '), short, ...flags, ...confirm]);

    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout + run.stderr).toContain('nightly' === create[3] ? 'nightly' : id);
  });

  test('that no object of the store begins with is an error, which says so', async () => {
    const { machine } = await setScene();

    const { exitCode, stderr } = await machine.run(['disputes', 'show', '01000000']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'and no dispute of the store has an id that begins with it\n  run `storectl disputes list`',
    );
  });

  test('a missing store is said as without it', async () => {
    const { machine } = await setScene();

    const { exitCode, stderr } = await machine.run(['disputes', 'show', '01000000', '--store', 'ab/cd']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--store');
  });
});

describe('a name in place of an id', () => {
  test('is taken for a read if exactly one object has it', async () => {
    const { machine, anotherMachine } = await setScene();
    const id = (
      await machine.run(['blog', 'create', '--title', 'Ink', '--content-md', 'x', '--slug', 'ink-1', '-q'])
    ).stdout.trim();

    const { exitCode, stdout } = await anotherMachine().run(['blog', 'show', 'ink-1', '--fields', 'id']);

    expect({ exitCode, id: JSON.parse(stdout).id }).toEqual({ exitCode: 0, id });
  });

  test('that several have is an error with their ids', async () => {
    const { machine, anotherMachine } = await setScene();
    for (const sections of ['store', 'blog'])
      await machine.run(['backup', 'create', '--label', 'nightly', '--sections', sections]);

    const { exitCode, stderr } = await anotherMachine().run(['backup', 'show', 'nightly']);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/not its id; 2 backups have it\n {2}use \S+ \(nightly.*\) or \S+ \(nightly/);
  });

  test('is not taken for a change', async () => {
    const { machine, anotherMachine } = await setScene();
    await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);
    const restore = ['backup', 'restore', 'nightly', '--sections', 'store', '--confirm', 'nightly'];

    const { exitCode, stderr } = await anotherMachine().run(restore);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^error: "nightly" is the label of a backup, not its id\n {2}use [\da-f-]+ \(nightly/m,
    );
  });
});
