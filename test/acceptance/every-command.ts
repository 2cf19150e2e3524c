import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type LoadedCommand, loadCommands } from '../../scripts/command-definitions.ts';
import { createKey } from '../../src/service/index.ts';
import { type ProgramMachine, type ProgramResult, programMachineFor } from '../helpers/program.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { wordsOf } from '../helpers/typed.ts';

/*
 * Nobody is there: no command waits, with or without arguments. A run that waits is killed by the helper, and shows it by
 * its signal. Each situation has a store and a machine of its own, on which all commands run one after the other.
 */

type Situation = 'closed' | 'silent' | 'CI' | 'file';

interface World {
  readonly service: TestService;
  readonly machine: ProgramMachine;
  /** A backup, a history record and a key that the rows before have made. */
  readonly made: Map<string, string>;
}

interface More {
  /** Exit code with the arguments, where it is not 0. */
  readonly code?: number | Readonly<Record<Situation, number>>;
  /** A line by which a server, which ends only when it is told to, says that it is up. */
  readonly serves?: RegExp;
  /** Name under which the last line of its output is kept. */
  readonly makes?: string;
}

/** The exit code of the command alone, and arguments that are enough: what is in braces is looked up in the world. */
type Row = readonly [missing: number, given: string, more?: More];

/** What the example store has, and what the rows before have made. */
function lookUp({ service, made }: Pick<World, 'service' | 'made'>, name: string): string {
  const { origin, storeId, databaseFile, example } = service;
  const known: Readonly<Record<string, string | undefined>> = {
    origin,
    storeId,
    database: `--database ${databaseFile}`,
    folder: path.dirname(databaseFile),
    ofStore: `--store ${storeId} --database ${databaseFile}`,
    dispute: example.disputes.find(({ status }) => status === 'open')?.id,
    notice: example.reclaims[0]?.id,
  };
  return known[name] ?? made.get(name) ?? `no ${name}`;
}

/** The command line of a row. */
export function argumentsOf(
  world: Pick<World, 'service' | 'made'>,
  name: string,
  given: string,
): readonly string[] {
  // `{store}` is the program's own.
  const line = given.replace(/\{(?!store\})(\w+)\}/g, (_, what) => lookUp(world, what));
  return [...name.split(' '), ...wordsOf(line)];
}

/** Every command of the tree, in an order in which one can use what another has made. */
export const rows: Readonly<Record<string, Row>> = {
  'store show': [0, '--json'],
  'store update': [3, '--name Juniper'],
  'blog create': [3, '--title Sale --content-md Text. -q', { makes: 'post' }],
  'blog show': [3, '{post}'],
  'settings show': [0, '--json'],
  'settings save': [3, '--quiet-hours-start 21:00'],
  'settings diff': [3, '--quiet-hours-start 20:00'],
  // An editor needs somebody who edits.
  'settings edit': [3, '--json', { code: 3 }],
  'disputes list': [0, '--json'],
  'blog list': [0, '--json'],
  'backup list': [0, '--json'],
  'reclaim list': [0, '--json'],
  'notify list': [0, '--json'],
  'notify inbox': [0, '--json'],
  'disputes show': [3, '{dispute}'],
  'disputes open': [3, "--reason 'Never arrived'"],
  'disputes decide': [3, '{dispute} --status won --resolution Delivered. --confirm {dispute}'],
  'backup create': [3, '--label nightly --sections store -q', { makes: 'backup' }],
  'backup show': [3, '{backup}'],
  'backup restore': [3, '{backup} --sections store --confirm {backup}'],
  'reclaim appeal': [3, "{notice} --text 'It is our name.' --confirm {notice}"],
  'notify add-endpoint': [
    3,
    '--name Team --events feedback_digest --url https://discord.com/api/webhooks/4711/a-token -q',
    { makes: 'endpoint' },
  ],
  'notify mark-read': [3, '--all'],
  'history list': [0, '--limit 1 -q', { makes: 'record' }],
  'history show': [3, '{record}'],
  'history prune': [3, '--older-than 90d'],
  'history repair': [0, '--json'],
  undo: [3, '{record}', { code: 6 }],
  resume: [0, '{record}'],
  'auth login': [
    3,
    '--base-url {origin} --store {storeId} --with-key --timeout 0.3',
    // An empty answer is an empty key, and no answer is no key.
    { code: { closed: 2, silent: 3, CI: 3, file: 3 } },
  ],
  'profile set': [3, 'outlet --store {storeId}'],
  'profile list': [0, '--json'],
  'profile use': [3, 'outlet'],
  'profile show': [0, 'outlet'],
  'profile remove': [3, 'outlet --confirm outlet'],
  'auth status': [0, '--json'],
  'auth logout': [0, '--json'],
  api: [3, 'GET /v1/stores/{store}/operations/settings'],
  mcp: [0, '', { serves: /Serving main/ }],
  doctor: [0, '--json'],
  version: [0, '--json'],
  'completion install': [3, 'fish'],
  'completion bash': [0, ''],
  'completion zsh': [0, ''],
  'completion fish': [0, ''],
  'completion powershell': [0, ''],
  'demo info': [0, '--demo'],
  'demo reset': [3, '--confirm demo'],
  'service stores create': [3, '--name Outlet -q {database}', { makes: 'newStore' }],
  'service keys create': [3, '{ofStore} --preset ci-backup'],
  'service keys list': [3, '{ofStore}'],
  'service keys rotate': [3, '{key} {database}'],
  'service keys revoke': [3, '{key} --confirm {key} {database}'],
  // Without arguments: the service has no database of its own here.
  'service stores list': [11, '{database}'],
  'service stores delete': [3, '{newStore} --confirm {newStore} {database}'],
  'service backups list': [11, '{ofStore}'],
  'service backups remove': [3, '{backup} --confirm {backup} {database}'],
  'service disputes list': [11, '{ofStore}'],
  'service endpoints list': [11, '{ofStore}'],
  'service endpoints remove': [3, '{endpoint} --confirm {endpoint} {database}'],
  'service reclaims list': [11, '{ofStore}'],
  'service reclaims close': [3, '{notice} --confirm {notice} {database}'],
  'service deliveries retry': [3, '--all-dead {database}'],
  'service reclaims add': [3, '{ofStore} --subdomain outlet --reason x'],
  'service evidence add': [3, '{ofStore} --dispute {dispute} --kind photo --label x --text y'],
  'service emit': [3, '--event feedback_digest {ofStore}'],
  'service deliveries list': [11, '{database}'],
  'service prune': [11, '{database}'],
  'service log': [11, '{database}'],
  'service backup': [3, '{folder}/copy.db {database}'],
  // The service is running.
  'service restore': [3, '{folder}/copy.db {database}', { code: 11 }],
  'service start': [0, '--port 0 --no-delivery {database}', { serves: /Listening on/ }],
};

export function leavesOf(commands: readonly LoadedCommand[]): LoadedCommand[] {
  return commands.flatMap((command) =>
    command.definition === null ? leavesOf(command.commands) : [command],
  );
}

/** Programs that the environment names: started, they would leave a file behind. */
const programs = { EDITOR: 'touch editor-ran; false', VISUAL: '', PAGER: 'touch pager-ran; cat' };

export async function makeWorld(env: Readonly<Record<string, string>> = {}): Promise<World> {
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
  const options = { stdin, ...(situation === 'CI' && { env: { CI: '1' } }) } as const;
  if (serves === undefined) return machine.run(args, options);
  const running = machine.start(args, options);
  await running.shown(serves);
  running.process.kill('SIGTERM');
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
  for (const [name, [missing, given, { code = 0, serves, makes } = {}]] of Object.entries(rows)) {
    const words = name.split(' ');
    const args = argumentsOf(world, name, given);
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

export async function expectNoneWaits(situation: Situation): Promise<void> {
  const leaves = leavesOf(await loadCommands()).map(({ path: name }) => name);
  expect(Object.keys(rows).sort(), 'a command is missing in the table').toEqual(leaves.sort());
  const { ends, expected, startedPrograms } = await runAll(situation);
  expect(ends).toEqual(expected);
  expect(startedPrograms).toEqual([]);
}
