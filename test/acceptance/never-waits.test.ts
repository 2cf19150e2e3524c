import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type LoadedCommand, loadCommands } from '../../scripts/command-definitions.ts';
import { createKey } from '../../src/service/index.ts';
import { namedPipeLine } from '../helpers/named-pipe.ts';
import {
  type ProgramMachine,
  type ProgramResult,
  programLine,
  programMachineFor,
} from '../helpers/program.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { openTerminal } from '../helpers/terminal.ts';
import { errorOf } from './scene.ts';

/*
 * Nobody is there: no command waits, with or without arguments. A run that waits is killed by the helper, and shows it by
 * its signal. Each situation has a store and a machine of its own, on which all commands run one after the other.
 */

const situations = ['closed', 'silent', 'CI', 'file'] as const;

type Situation = (typeof situations)[number];

interface World {
  readonly service: TestService;
  readonly machine: ProgramMachine;
  /** A backup, a history record and a key that the rows before have made. */
  readonly made: Map<string, string>;
}

interface Row {
  /** Exit code of the command alone. */
  readonly missing: number;
  /** Arguments that are enough, and the exit code with them: 0 where it is left out. */
  readonly given: (world: World) => readonly string[];
  readonly code?: number | Readonly<Record<Situation, number>>;
  /** A line by which a server, which ends only when it is told to, says that it is up. */
  readonly serves?: RegExp;
  /** Name under which the last line of its output is kept. */
  readonly makes?: string;
}

const made = (world: World, name: string) => world.made.get(name) ?? `no ${name}`;
const dispute = ({ service }: World, status: string) =>
  service.example.disputes.find((one) => one.status === status)?.id ?? '';
const notice = ({ service }: World) => service.example.reclaims[0]?.id ?? '';
const database = ({ service }: World) => ['--database', service.databaseFile];
const ofStore = ({ service }: World) => ['--store', service.storeId, '--database', service.databaseFile];

/** Every command of the tree, in an order in which one can use what another has made. */
const rows: Readonly<Record<string, Row>> = {
  'store update': { missing: 3, given: () => ['--name', 'Juniper'] },
  'blog create': { missing: 3, given: () => ['--title', 'Sale', '--content-md', 'Text.'] },
  'settings show': { missing: 0, given: () => ['--json'] },
  'settings save': { missing: 3, given: () => ['--quiet-hours-start', '21:00'] },
  'settings diff': { missing: 2, given: () => ['--quiet-hours-start', '20:00'] },
  // An editor needs somebody who edits.
  'settings edit': { missing: 3, given: () => ['--json'], code: 3 },
  'disputes list': { missing: 0, given: () => ['--json'] },
  'blog list': { missing: 0, given: () => ['--json'] },
  'backup list': { missing: 0, given: () => ['--json'] },
  'reclaim list': { missing: 0, given: () => ['--json'] },
  'notify list': { missing: 0, given: () => ['--json'] },
  'disputes show': { missing: 3, given: (world) => [dispute(world, 'open')] },
  'disputes open': { missing: 3, given: () => ['--reason', 'Never arrived'] },
  'disputes decide': {
    missing: 3,
    given: (world) => [
      ...[dispute(world, 'open'), '--status', 'won', '--resolution', 'Delivered.'],
      ...['--confirm', dispute(world, 'open')],
    ],
  },
  'backup create': {
    missing: 3,
    given: () => ['--label', 'nightly', '--sections', 'store', '-q'],
    makes: 'backup',
  },
  'backup restore': {
    missing: 3,
    given: (world) => [
      ...[made(world, 'backup'), '--sections', 'store'],
      ...['--confirm', made(world, 'backup')],
    ],
  },
  'reclaim appeal': {
    missing: 3,
    given: (world) => [notice(world), '--text', 'It is our name.', '--confirm', notice(world)],
  },
  'notify add-endpoint': {
    missing: 3,
    given: () => [
      ...['--name', 'Team', '--events', 'feedback_digest'],
      ...['--url', 'https://discord.com/api/webhooks/4711/a-token', '-q'],
    ],
    makes: 'endpoint',
  },
  'notify mark-read': { missing: 3, given: () => ['--all'] },
  'history list': { missing: 0, given: () => ['--limit', '1', '-q'], makes: 'record' },
  'history show': { missing: 3, given: (world) => [made(world, 'record')] },
  'history prune': { missing: 3, given: () => ['--older-than', '90d'] },
  'history repair': { missing: 0, given: () => ['--json'] },
  undo: { missing: 3, given: (world) => [made(world, 'record')], code: 6 },
  resume: { missing: 0, given: (world) => [made(world, 'record')] },
  'auth login': {
    missing: 3,
    given: ({ service }) => [
      ...['--base-url', service.origin, '--store', service.storeId, '--with-key', '--timeout', '0.3'],
    ],
    // Nothing is an empty key, and silence is none.
    code: { closed: 2, silent: 3, CI: 3, file: 3 },
  },
  'profile set': { missing: 3, given: ({ service }) => ['outlet', '--store', service.storeId] },
  'profile list': { missing: 0, given: () => ['--json'] },
  'profile use': { missing: 3, given: () => ['outlet'] },
  'profile show': { missing: 0, given: () => ['outlet'] },
  'profile remove': { missing: 3, given: () => ['outlet', '--confirm', 'outlet'] },
  'auth status': { missing: 0, given: () => ['--json'] },
  'auth logout': { missing: 0, given: () => ['--profile', 'main'] },
  api: { missing: 3, given: () => ['GET', '/v1/stores/{store}/operations/settings'] },
  mcp: { missing: 0, given: () => [], serves: /Serving main/ },
  doctor: { missing: 0, given: () => ['--json'] },
  completion: { missing: 3, given: () => ['bash'] },
  'demo info': { missing: 0, given: () => ['--demo'] },
  'demo reset': { missing: 3, given: () => ['--confirm', 'demo'] },
  'service stores create': {
    missing: 3,
    given: (world) => ['--name', 'Outlet', '-q', ...database(world)],
    makes: 'newStore',
  },
  'service keys create': { missing: 3, given: (world) => [...ofStore(world), '--preset', 'ci-backup'] },
  'service keys list': { missing: 3, given: ofStore },
  'service keys rotate': { missing: 3, given: (world) => [made(world, 'key'), ...database(world)] },
  'service keys revoke': {
    missing: 3,
    given: (world) => [made(world, 'key'), '--confirm', made(world, 'key'), ...database(world)],
  },
  'service stores list': { missing: 11, given: database },
  'service stores delete': {
    missing: 3,
    given: (world) => [made(world, 'newStore'), '--confirm', made(world, 'newStore'), ...database(world)],
  },
  'service backups list': { missing: 11, given: ofStore },
  'service backups remove': {
    missing: 3,
    given: (world) => [made(world, 'backup'), '--confirm', made(world, 'backup'), ...database(world)],
  },
  'service disputes list': { missing: 11, given: ofStore },
  'service endpoints list': { missing: 11, given: ofStore },
  'service endpoints remove': {
    missing: 3,
    given: (world) => [made(world, 'endpoint'), '--confirm', made(world, 'endpoint'), ...database(world)],
  },
  'service reclaims list': { missing: 11, given: ofStore },
  'service reclaims close': {
    missing: 3,
    given: (world) => [notice(world), '--confirm', notice(world), ...database(world)],
  },
  'service deliveries retry': { missing: 3, given: (world) => ['--all-dead', ...database(world)] },
  'service reclaims add': {
    missing: 3,
    given: (world) => [...ofStore(world), '--subdomain', 'outlet', '--reason', 'x'],
  },
  'service evidence add': {
    missing: 3,
    given: (world) => [
      ...[...ofStore(world), '--dispute', dispute(world, 'open')],
      ...['--kind', 'photo', '--label', 'x', '--text', 'y'],
    ],
  },
  'service emit': { missing: 3, given: (world) => ['--event', 'feedback_digest', ...ofStore(world)] },
  // The service has no database of its own here.
  'service deliveries list': { missing: 11, given: database },
  'service prune': { missing: 11, given: database },
  'service start': {
    missing: 0,
    given: (world) => ['--port', '0', '--no-delivery', ...database(world)],
    serves: /Listening on/,
  },
};

function leavesOf(commands: readonly LoadedCommand[]): LoadedCommand[] {
  return commands.flatMap((command) =>
    command.definition === null ? leavesOf(command.commands) : [command],
  );
}

/** Programs that the environment names: started, they would leave a file behind. */
const programs = { EDITOR: 'touch editor-ran; false', VISUAL: '', PAGER: 'touch pager-ran; cat' };

async function makeWorld(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const service = await startService();
  const machine = programMachineFor(service, { ...programs, ...env });
  const { id } = await createKey(service.storage, { storeId: service.storeId, preset: 'owner' });
  return { service, machine, made: new Map([['key', id]]) };
}

/** Runs the program in a situation. */
async function runIn(
  situation: Situation,
  { machine }: World,
  args: readonly string[],
  serves?: RegExp,
): Promise<ProgramResult> {
  if (situation === 'closed' && serves === undefined) {
    return machine.shell(`storectl ${args.map((arg) => `'${arg}'`).join(' ')} <&-`);
  }
  const stdin = situation === 'closed' ? 'closed' : 'silent';
  if (situation === 'file' && serves === undefined) {
    const file = path.join(machine.folder, 'out.txt');
    const stdoutFile = openSync(file, 'w');
    const result = await machine.run(args, { stdin, stdoutFile });
    closeSync(stdoutFile);
    return { ...result, stdout: readFileSync(file, 'utf8') };
  }
  const running = machine.start(args, { stdin, ...(situation === 'CI' && { env: { CI: '1' } }) });
  if (serves !== undefined) {
    await running.shown(serves);
    running.process.kill('SIGTERM');
  }
  return running.ended;
}

/** Runs every command in a situation: exit codes by command line, what they should be, and what else came of it. */
async function runAll(situation: Situation) {
  const world = await makeWorld();
  const ends: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  const note = (name: string, code: number, { exitCode, signal, stderr }: ProgramResult) => {
    const isRight = exitCode === code && signal === null;
    ends[`${situation}: ${name}`] = isRight ? code : { exitCode, signal, stderr };
    expected[`${situation}: ${name}`] = code;
  };
  for (const [name, { missing, given, code = 0, serves, makes }] of Object.entries(rows)) {
    const words = name.split(' ');
    const args = [...words, ...given(world)];
    // A server lacks nothing.
    if (serves === undefined) note(name, missing, await runIn(situation, world, words));
    const result = await runIn(situation, world, args, serves);
    note(`${name} …`, typeof code === 'number' ? code : code[situation], result);
    if (makes !== undefined) world.made.set(makes, result.stdout.trim());
  }
  return {
    ends,
    expected,
    startedPrograms: readdirSync(world.machine.folder).filter((name) => /-ran$/.test(name)),
  };
}

test('every command ends by itself with its exit code, with arguments and without', async () => {
  const leaves = leavesOf(await loadCommands()).map(({ path: name }) => name);
  expect(Object.keys(rows).sort(), 'a command is missing in the table').toEqual(leaves.sort());
  const all = await Promise.all(situations.map(runAll));
  for (const { ends, expected, startedPrograms } of all) {
    expect(ends).toEqual(expected);
    expect(startedPrograms).toEqual([]);
  }
});

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
  const { machine } = await makeWorld();
  const queue = readers.map((words) => {
    const needs = words[0] === 'api' ? ['POST', '/v1/stores/{store}'] : [];
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
});

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

test('a pipe that holds the key: silence ends with exit 11, and a key that comes is used', async () => {
  const { service, machine } = await makeWorld();
  writeFileSync(path.join(machine.folder, 'key.txt'), service.apiKey);
  const show = 'STORECTL_API_KEY= STORECTL_API_KEY_FILE=pipe storectl settings show --fields storeId';

  const silent = await machine.shell(`${namedPipeLine('pipe')}; ${show} --timeout 0.3`);
  expect(silent).toMatchObject({ exitCode: 11, signal: null });
  expect(silent.stderr).toContain('cannot read the key from pipe: timed out');
  const result = await machine.shell(`(sleep 0.3; cat key.txt > pipe) & ${show}`);
  expect(result).toMatchObject({ exitCode: 0, stdout: `{"storeId":"${service.storeId}"}\n` });
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
  await terminal.shows(/Type the text for --from-file -, then press Ctrl-D on an empty line\./);
  terminal.type('name: Typed');
  terminal.press('C-d');
  expect(await terminal.shows(/code \d/)).toMatch(/"name": "Typed"[\s\S]*code 0/);

  terminal.type(`clear; ${programLine} blog create --content-file -; echo "code $?"`);
  await terminal.shows(/then press Ctrl-D on an empty line/);
  terminal.type('Text.');
  terminal.press('C-d');
  expect(await terminal.shows(/code \d/)).toMatch(/--title TEXT[\s\S]*code 3/);

  terminal.type(`clear; ${programLine} store update --from-file -; echo "code $?"`);
  await terminal.shows(/then press Ctrl-D on an empty line/);
  terminal.press('C-c');
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
