import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type LoadedCommand, loadCommands } from '../../scripts/command-definitions.ts';
import { namedPipeLine } from '../helpers/named-pipe.ts';
import { programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';
import { typed } from '../helpers/typed.ts';
import { errorOf } from './effects.ts';
import { expectNoneWaits, leavesOf, makeWorld } from './every-command.ts';

test('every command ends by itself with its exit code, with arguments and without', async () => {
  // More than a hundred runs, and one that hangs is killed for itself.
  await expectNoneWaits('silent');
}, 300_000);

/** Flags that name a file which is written, or which must have a name. */
const noReaders = ['--output-file', '--database'];

/** The command lines that read standard input because they are told to, from the flags of the tree. */
function readersOf(leaves: readonly LoadedCommand[]): string[][] {
  return leaves.flatMap(({ path: name, definition }) => {
    const { options = [], arguments: args = [] } = definition ?? {};
    const flags = options.filter(({ flag, value }) => value === 'FILE' && !noReaders.includes(flag));
    return [
      ...flags.map(({ flag }) => [...name.split(' '), flag, '-']),
      ...args.filter((one) => one.name === 'file').map(() => [...name.split(' '), '-']),
    ];
  });
}

test('every flag that reads standard input: silence ends with exit 3 and says what to do', async () => {
  const readers = readersOf(leavesOf(await loadCommands()));
  expect(readers.length).toBeGreaterThan(10);
  const { service, machine } = await makeWorld();
  const { storeId, databaseFile, example } = service;
  // What has to be given before anything is read.
  const needed: readonly (readonly [string, readonly string[]])[] = [
    ['api', ['POST', '/v1/stores/{store}']],
    [
      'service evidence add',
      typed`--store ${storeId} --dispute ${example.disputes[0]?.id ?? ''} --kind note --label Note
        --database ${databaseFile}`,
    ],
  ];
  const queue = readers.map((words) => {
    const [, needs = []] = needed.find(([name]) => words.join(' ').startsWith(name)) ?? [];
    return [...words, ...needs];
  });
  const next = async (): Promise<void> => {
    const args = queue.shift();
    if (args === undefined) return;
    const silent = await machine.run([...args, '--timeout', '0.3', '--json'], { stdin: 'silent' });
    const line = args.join(' ');
    expect({ line, code: silent.exitCode, stdout: silent.stdout }).toEqual({ line, code: 3, stdout: '' });
    const { code, message, hint, outcome } = errorOf(silent);
    expect({ code, outcome }, line).toEqual({ code: 'input_needed', outcome: 'not_sent' });
    expect(message, line).toMatch(/ - timed out: no data on standard input for 0.3 s/);
    expect(hint, line).toContain('--timeout SECONDS');
    // With nothing in it, standard input is no answer either; an empty text is for the service to refuse.
    const { exitCode } = await machine.run(args);
    expect([2, 3, 7], line).toContain(exitCode);
    await next();
  };
  await Promise.all([1, 2, 3, 4].map(next));
}, 120_000);

test('a pipe: silence ends with exit 3, and one that goes on delivering is read however long it takes', async () => {
  const { machine } = await makeWorld();
  const silent = await machine.shell(
    `${namedPipeLine('pipe')}; storectl store update --from-file pipe --timeout 0.3`,
  );
  expect(silent).toMatchObject({ exitCode: 3, signal: null });
  expect(silent.stderr).toContain('--from-file timed out: no data on pipe for 0.3 s');

  // Each part comes within the time, and all of them together do not.
  const parts = ['{', '"name"', ':', '"Slow"', '}'];
  const slow = `(for part in ${parts.map((part) => `'${part}'`).join(' ')}; do sleep 1; printf %s "$part"; done)`;
  const args = '--timeout 4 --fields name';
  const results = await Promise.all([
    machine.shell(`${slow} | storectl store update --from-file - ${args}`),
    machine.shell(`${slow} | storectl store update --from-file /dev/stdin ${args}`),
    machine.shell(`${slow} > pipe & storectl store update --from-file pipe ${args}`),
  ]);
  for (const result of results) {
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"name":"Slow"}\n' });
  }
});

test('a key file that is a pipe without a writer is exit 4', async () => {
  const { machine } = await makeWorld();
  const show = 'STORECTL_API_KEY= STORECTL_API_KEY_FILE=pipe storectl settings show --timeout 1';

  const result = await machine.shell(`${namedPipeLine('pipe')}; ${show}`);

  expect(result).toMatchObject({ exitCode: 4, signal: null });
  expect(result.stderr).toContain(
    'cannot read the key from pipe (STORECTL_API_KEY_FILE): nothing came within 1 s',
  );
});

test('what never ends is refused: an endless stream, a device', async () => {
  const { machine } = await makeWorld();
  const endless = await machine.shell('yes | storectl store update --from-file -');
  expect(endless).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is larger than 64 MiB') });
  const device = await machine.run(['store', 'update', '--from-file', '/dev/zero']);
  expect(device).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a device, not a file') });
});

test('a terminal is waited for, and says so; what is missing then cannot be asked for any more', async () => {
  const { machine } = await makeWorld();
  const terminal = await openTerminal(machine.folder, {
    ...machine.env,
    PS1: '$ ',
    PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  });
  terminal.type(
    `clear; ${programLine} store update --from-file - --timeout 0.3 --fields name; echo "code $?"`,
  );
  await terminal.typeAt(
    /Type the text for --from-file -, then press Ctrl-D on an empty line\./,
    'name: Typed',
  );
  terminal.press('C-d');
  expect(await terminal.shows(/code \d/)).toMatch(/"name": "Typed"[\s\S]*code 0/);

  terminal.type(`clear; ${programLine} blog create --content-file -; echo "code $?"`);
  await terminal.typeAt(/then press Ctrl-D on an empty line/, 'Text.');
  terminal.press('C-d');
  expect(await terminal.shows(/code \d/)).toMatch(/--title TEXT[\s\S]*code 3/);

  terminal.type(`clear; ${programLine} store update --from-file -; echo "code $?"`);
  await terminal.pressAt(/then press Ctrl-D on an empty line/, 'C-c');
  await terminal.shows(/code 130/);
});

test('in a terminal with prompts forbidden, no command waits for keys, an editor or a pager', async () => {
  const { machine } = await makeWorld();
  writeFileSync(path.join(machine.folder, 'long.json'), JSON.stringify({ name: 'Juniper' }));
  const terminal = await openTerminal(machine.folder, {
    ...machine.env,
    PS1: '$ ',
    PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  });
  const lines = [
    ['settings edit', 3],
    ['blog create --edit --title Sale', 3],
    ['store update --from-file -', 3],
    ['backup create', 3],
    ['store update', 3],
    ['completion bash', 0],
  ] as const;
  for (const quiet of ['CI=1', 'STORECTL_NO_INPUT=1']) {
    for (const [line, code] of lines) {
      const name = `${quiet} ${line}`;
      terminal.type(`clear; ${quiet} ${programLine} ${line}; echo "[${name}] $?"`);
      await terminal.shows(new RegExp(`\\[${name}\\] ${code}$`, 'm'));
    }
  }
  expect(existsSync(path.join(machine.folder, 'editor-ran'))).toBe(false);
  expect(existsSync(path.join(machine.folder, 'pager-ran'))).toBe(false);
});
