import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCommands } from '../../../scripts/command-definitions.ts';
import { completionModel } from '../../../scripts/completion-model.ts';
import { globalOptions } from '../../../src/cli/command/global-options.ts';
import { complete } from '../../../src/cli/completion/complete.ts';
import { completeIds } from '../../../src/cli/completion/ids.ts';
import type { CompletedCommand } from '../../../src/cli/completion/model.ts';
import { exampleIds } from '../../../src/contract/objects.ts';
import { sectionNames } from '../../../src/contract/operations/backups.ts';
import { postStates } from '../../../src/contract/operations/blog.ts';
import { decisions, disputeStatuses } from '../../../src/contract/operations/disputes.ts';
import { eventTypes } from '../../../src/contract/operations/notifications.ts';
import { storeFolder } from '../../../src/history/store-folder.ts';
import { type Machine, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { makeNamedPipe } from '../../helpers/named-pipe.ts';
import { seedChange } from '../../helpers/seed-history.ts';
import { typed } from '../../helpers/typed.ts';

const commands = await loadCommands();
const model = completionModel(commands);

/** The program, every noun and every command, by the words that lead to it. */
function nodesOf(path: string, command: CompletedCommand): [string, CompletedCommand][] {
  const below = Object.entries(command.commands);
  return [[path, command], ...below.flatMap(([name, child]) => nodesOf(`${path} ${name}`.trim(), child))];
}
const nodes = new Map(nodesOf('', model.program));

describe('the model', () => {
  test('holds every command and flag of the tree', () => {
    for (const command of commands.flatMap((one) => [one, ...one.commands])) {
      const node = nodes.get(command.path);
      const names = node?.flags.flatMap(({ names }) => names) ?? [];
      for (const { flag, negatable } of command.definition?.options ?? []) {
        expect(names).toContain(flag);
        if (negatable) expect(names).toContain(flag.replace('--', '--no-'));
      }
      expect(Object.keys(node?.commands ?? {})).toHaveLength(command.commands.length);
      expect(node?.arguments.length).toBe(command.definition?.arguments?.length ?? 0);
    }
    const general = [...model.flags, ...model.program.flags].flatMap(({ names }) => names);
    for (const { flag } of globalOptions) expect(general).toContain(flag);
  });

  test.each([
    ['backup create', []],
    ['backup', []],
    ['history', []],
    ['profile', ['--dry-run']],
    ['doctor', ['--dry-run']],
    ['completion bash', ['--dry-run', '--fields']],
  ])('%s is not offered %j, which it refuses', (place, refused) => {
    const names = nodes.get(place)?.flags.flatMap((flag) => flag.names) ?? [];
    expect(['--dry-run', '--fields'].filter((flag) => !names.includes(flag))).toEqual(refused);
  });

  test.each([
    ['backup create', '--sections', sectionNames],
    ['backup restore', '--sections', sectionNames],
    ['notify add-endpoint', '--events', eventTypes],
    ['notify add-endpoint', '--kind', ['discord']],
    ['blog create', '--status', postStates],
    ['disputes decide', '--status', decisions],
    ['disputes list', '--status', disputeStatuses],
    ['disputes open', '--kind', ['payment']],
  ])('%s %s offers the values that the service of this package takes', (place, name, values) => {
    const flag = nodes.get(place)?.flags.find(({ names }) => names.includes(name));
    expect(flag?.value?.words).toEqual(values);
  });
});

type Kind = Parameters<typeof completeIds>[0];

function placesOf(machine: Machine, env: Record<string, string> = {}) {
  return {
    env: { STORECTL_CONFIG_DIR: machine.configDirectory, STORECTL_STATE_DIR: machine.stateDirectory, ...env },
    cwd: machine.folder,
    process,
    homeDirectory: machine.folder,
  };
}

/** As `storectl __complete` answers on a machine. */
async function answerTo(request: readonly string[], machine: Machine = newMachine()): Promise<string[]> {
  const answer = await complete(request, placesOf(machine), () => model);
  return answer.split('\n').slice(0, -1);
}

/** The ids of a kind with their descriptions, after these words. */
function idsAfter(
  machine: Machine,
  [kind, ...words]: readonly [Kind, ...string[]],
  env: Record<string, string> = {},
): string[] {
  return completeIds(kind, words, placesOf(machine, env)).map(
    ({ id, description }) => `${id}\t${description}`,
  );
}

describe('ids', () => {
  test('come from the history, newest first, with descriptions', async () => {
    const machine = newMachine();
    const one = await machine.run(typed`--demo backup create --label first --sections store -q`);
    const two = await machine.run([
      '--demo',
      'backup',
      'create',
      '--label',
      'a b',
      '--sections',
      'store,blog',
      '-q',
    ]);
    const dispute = await machine.run(['--demo', 'disputes', 'open', '--reason', 'lost', '-q']);
    const unknown = '00000000-0000-4000-8000-000000000000';
    await machine.run(['--demo', 'reclaim', 'appeal', unknown, '--text', 'x', '--confirm', unknown]);

    expect(idsAfter(machine, ['backup', '--demo', 'backup', 'restore']).toSorted()).toEqual(
      [
        `${two.stdout.trim()}\ta b (store, blog), just now`,
        `${one.stdout.trim()}\tfirst (store), just now`,
      ].sort(),
    );
    expect(idsAfter(machine, ['dispute', '--profile=demo'])).toEqual([
      `${dispute.stdout.trim()}\tdue in 7 days, lost`,
    ]);
    expect(idsAfter(machine, ['record', '--profile', 'demo'])).toHaveLength(4);
    // The service knows no such notice.
    expect(idsAfter(machine, ['reclaim', '--demo'])).toEqual([]);
    // Another profile has another history.
    expect(idsAfter(machine, ['backup'])).toEqual([]);
  });

  test('belong to the store in use, and open records are those that resume can settle', async () => {
    await using server = await startFaultServer([{ does: 'drop' }, answer(201, { id: 'p1' })]);
    const env = { STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: 's1', STORECTL_API_KEY: 'key-of-a-test' };
    const machine = newMachine(env);
    const lost = await machine.run(['blog', 'create', '--title', 'a', '--content-md', 'x', '--json']);
    const made = await machine.run(['blog', 'create', '--title', 'b', '--content-md', 'x']);
    const { STORECTL_API_KEY: _, ...place } = env;

    expect([lost.exitCode, made.exitCode]).toEqual([10, 0]);
    expect(idsAfter(machine, ['record'], place)).toHaveLength(2);
    const id = JSON.parse(lost.stderr.slice(lost.stderr.indexOf('{'))).error.operationId;
    expect(idsAfter(machine, ['open-record'], place)).toEqual([`${id}\tblog.create, unknown, just now`]);
    expect(idsAfter(machine, ['record', '--store', 's2'], place)).toEqual([]);
    expect(idsAfter(machine, ['record', '--base-url=http://127.0.0.1:9'], place)).toEqual([]);
  });

  test('that would mean something to a shell are not offered', async () => {
    const machine = newMachine();
    const place = { origin: 'http://127.0.0.1:9', storeId: 's1' };
    const env = { STORECTL_BASE_URL: place.origin, STORECTL_STORE_ID: place.storeId };
    for (const id of ['$(touch owned)', 'a b', '`x`', '-rf', 'a;b', '../x', 'fine-1']) {
      const response = { status: 201, body: JSON.stringify({ id, label: 'x' }) };
      await seedChange(machine, place, { operation: 'backup.create', body: { label: id }, response });
    }

    expect(idsAfter(machine, ['backup'], env)).toEqual(['fine-1\tx, just now']);
  });

  test('come from whatever can be read, and nothing is an error', async () => {
    const machine = newMachine();
    const histories = path.join(machine.stateDirectory, 'demo', 'history');
    const folder = storeFolder(histories, { baseUrl: 'demo', storeId: exampleIds.store });
    mkdirSync(folder, { recursive: true });
    const log = (number: number) =>
      path.join(folder, `00000${number}-20300101-aaaaa${number}-backup.create.jsonl`);
    writeFileSync(log(1), '{"format":1');
    writeFileSync(log(2), 'null');
    writeFileSync(log(3), '');
    makeNamedPipe(log(4));
    symlinkSync('/etc/passwd', log(5));

    for (const kind of ['record', 'open-record', 'backup', 'dispute', 'file', 'field'] as const) {
      expect(idsAfter(machine, [kind, '--demo'])).toEqual([]);
    }
    expect(idsAfter(machine, ['record', '--profile'])).toEqual([]);
    const request = (...words: string[]) => ['fish', '--current=', ...words, 'history', 'show'];
    expect(await answerTo(request('--profile', '../..'), machine)).toEqual([]);
    writeFileSync(path.join(machine.folder, '.storectl.json'), 'no JSON');
    expect(await answerTo(request('--demo'), machine)).toEqual([]);
    expect(await complete(['fish', '--current='], placesOf(machine), () => JSON.parse('no model'))).toBe('');
  });

  test('the stored profiles are offered, and never their keys', async () => {
    const machine = newMachine();
    mkdirSync(machine.configDirectory);
    const profiles = { main: { storeId: 's1', baseUrl: 'https://a.example', apiKey: 'secret' }, other: {} };
    writeFileSync(path.join(machine.configDirectory, 'settings.json'), JSON.stringify({ profiles }));

    expect(idsAfter(machine, ['profile'])).toEqual([
      'main\ts1 @ a.example',
      'other\tno store @ no base URL',
      'demo\tthe demo store',
    ]);
  });
});

const lineInBash = (line: string, type = '63', columns = '80') => ['bash', line, type, '"=:', columns];

describe('what is answered:', () => {
  const disputes = { name: 'disputes', summary: 'Show, open, decide and list disputes' };

  test('commands with what they are about', async () => {
    const { name, summary } = disputes;

    expect(await answerTo(['zsh', '--current='])).toContain(`${name}\t${summary}`);
    expect(await answerTo(lineInBash('storectl ', '9'))).toEqual(Object.keys(model.program.commands));
    expect((await answerTo(lineInBash('storectl '))).join('\n')).toMatch(
      new RegExp(`^${name} +${summary}$`, 'm'),
    );
  });

  test('the last part of a list, and that another may follow', async () => {
    const current = '--sections=store,bl';

    expect(await answerTo(['zsh', `--current=${current}`, 'backup', 'create'])).toEqual([
      ':more',
      '--sections=store,blog',
    ]);
    expect(await answerTo(lineInBash(`storectl backup create ${current}`))).toEqual([':more', 'store,blog']);
    // No other word is left.
    expect(await answerTo(lineInBash('storectl backup create --sections store,blog,settings,'))).toEqual([
      'store,blog,settings,endpoints',
    ]);
  });

  test('words with a colon, at which bash cuts', async () => {
    const words = ['service', 'keys', 'create', '--scopes'];
    const scope = model.program.commands.service?.commands.keys?.commands.create?.flags
      .find(({ names }) => names.includes('--scopes'))
      ?.value?.words?.find((word) => word.includes(':'));
    const [noun = '', verb = ''] = scope?.split(':') ?? [];

    expect(await answerTo(['zsh', '--current=', ...words])).toContain(scope);
    expect(await answerTo(lineInBash(`storectl ${words.join(' ')} ${noun}:`))).toContain(verb);
  });

  test('files are left to the shell', async () => {
    expect(await answerTo(['zsh', '--current=--from=x', 'disputes', 'decide'])).toEqual([':files']);
    expect(await answerTo(['fish', '--current=', 'disputes', 'decide', '--from'])).toEqual([':files']);
    expect(await answerTo(lineInBash('storectl disputes decide --from x'))).toEqual([':files']);
  });

  test('bash lists ids with what they stand for, in lines that fit, and completes them alone', async () => {
    const machine = newMachine();
    const made = [];
    for (const reason of ['late', 'lost'])
      made.push((await machine.run(['--demo', 'disputes', 'open', '--reason', reason, '-q'])).stdout.trim());
    const [late = '', lost = ''] = made;
    const line = 'storectl --demo disputes show ';

    for (const type of ['33', '63', '64']) {
      expect(await answerTo(lineInBash(line, type), machine)).toEqual([
        `${lost}  due in 7 days, lost`,
        `${late}  due in 7 days, late`,
      ]);
    }
    expect((await answerTo(lineInBash(line, '63', '45'), machine))[0]).toBe(`${lost}  due i…`);
    // Tab, menu completion, and bash before version 4.
    for (const type of ['9', '37', '']) {
      expect(await answerTo(lineInBash(line, type), machine)).toEqual([lost, late]);
    }
    expect(await answerTo(lineInBash(line + lost.slice(0, -1)), machine)).toEqual([lost]);
  });

  test.each([
    [`storectl disputes show "di`, []],
    [`storectl "disp`, ['disputes']],
    [`storectl 'backup' "create" --sec`, ['--sections']],
    [`storectl store update --name "it's \\"big\\"" --time`, ['--timezone', '--timeout']],
    [`storectl back\\up c`, ['create']],
  ])('bash: quotes in %s', async (line, expected) => {
    expect(await answerTo(lineInBash(line, '9'))).toEqual(expected);
  });

  test('every command and flag is offered with its description', async () => {
    for (const [place, node] of nodes) {
      const words = place === '' ? [] : place.split(' ');
      const flags = await answerTo(['powershell', '--current=-', ...words]);
      for (const { names, description } of [...node.flags, ...model.flags]) {
        for (const name of names) expect(flags).toContain(`${name}\t${description}`);
      }
    }
  });

  test('every flag with its value is known: a command after it is found', async () => {
    for (const [place, node] of nodes) {
      const [first] = Object.keys(node.commands);
      if (first === undefined) continue;
      for (const { names, value } of [...node.flags, ...model.flags]) {
        for (const name of value === null ? [] : names) {
          const words = [...(place === '' ? [] : place.split(' ')), name, 'value', first.slice(0, -1)];
          expect(await answerTo(lineInBash(['storectl', ...words].join(' '), '9'))).toContain(first);
        }
      }
    }
  });
});
