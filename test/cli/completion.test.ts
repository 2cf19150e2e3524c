import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionModel, loadTree } from '../../scripts/generate/completion-model.ts';
import { globalOptions } from '../../src/cli/command/global-options.ts';
import { completeIds } from '../../src/cli/completion/ids.ts';
import { knownWords } from '../../src/cli/completion/known-values.ts';
import { exampleIds } from '../../src/contract/example-ids.ts';
import { operations } from '../../src/contract/operations.ts';
import { eventTypes } from '../../src/service/model/event-types.ts';
import { sectionNames } from '../../src/service/operations/backup-sections.ts';
import { type Machine, machineFor, newMachine, temporaryFolder } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { startService } from '../helpers/service.ts';

const commands = await loadTree();
const model = completionModel(commands);

describe('the model', () => {
  test('holds every command and flag of the tree', () => {
    for (const command of commands.flatMap((one) => [one, ...one.commands])) {
      const node = model.nodes.find(({ path }) => path === command.path);
      const names = node?.flags.flatMap(({ names }) => names) ?? [];
      for (const { flag, negatable } of command.definition?.options ?? []) {
        expect(names).toContain(flag);
        if (negatable) expect(names).toContain(flag.replace('--', '--no-'));
      }
      expect(node?.commands.length).toBe(command.commands.length);
      expect(node?.arguments.length).toBe(command.definition?.arguments?.length ?? 0);
    }
    const general = model.flags.flatMap(({ names }) => names);
    const atRoot = model.nodes[0]?.flags.flatMap(({ names }) => names) ?? [];
    for (const { flag } of globalOptions) expect([...general, ...atRoot]).toContain(flag);
  });

  test.each([
    ['backup create', []],
    ['backup', []],
    ['history', ['--dry-run']],
    ['doctor', ['--dry-run']],
    ['completion', ['--dry-run', '--fields']],
  ])('%s is not offered %j, which it refuses', (place, refused) => {
    const names = model.nodes.find((node) => node.path === place)?.flags.flatMap((flag) => flag.names) ?? [];
    expect(['--dry-run', '--fields'].filter((flag) => !names.includes(flag))).toEqual(refused);
  });

  test('offers the values that the service of this package takes', () => {
    expect(knownWords['backup.create']?.sections).toEqual(sectionNames);
    expect(knownWords['backup.restore']?.sections).toEqual(sectionNames);
    expect(knownWords['notify.add-endpoint']?.events).toEqual(eventTypes);
    for (const [id, fields] of Object.entries(knownWords)) {
      const { body } = operations.find((operation) => operation.id === id) ?? { body: null };
      for (const field of Object.keys(fields)) expect(Object.keys(body?.shape ?? {})).toContain(field);
    }
  });

  test('a service takes each of these statuses and kinds', async () => {
    const service = await startService();
    const machine = machineFor(service);
    for (const status of knownWords['blog.create']?.status ?? []) {
      const at = status === 'scheduled' ? ['--scheduled-at', '2100-01-01T00:00:00Z'] : [];
      const { exitCode, stderr } = await machine.run([
        ...['blog', 'create', '--title', status, '--content-md', 'x', '--status', status, ...at],
      ]);
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    }
    for (const status of knownWords['disputes.decide']?.status ?? []) {
      const opened = await machine.run(['disputes', 'open', '--reason', `to be ${status}`, '-q']);
      const id = opened.stdout.trim();
      const decided = await machine.run([
        ...['disputes', 'decide', id, '--status', status, '--resolution', 'x', '--confirm', id],
      ]);
      expect(decided.exitCode).toBe(0);
    }
  });
});

/** As `storectl __complete` answers on a machine, with the words before the cursor. */
function complete(machine: Machine, args: readonly string[], env: Record<string, string> = {}): string[] {
  const text = completeIds(args, {
    env: { STORECTL_CONFIG_DIR: machine.configDirectory, STORECTL_STATE_DIR: machine.stateDirectory, ...env },
    cwd: machine.folder,
    process,
    homeDirectory: machine.folder,
  });
  return text.split('\n').slice(0, -1);
}

describe('ids', () => {
  test('are those that the history knows, the newest first, with what tells them apart', async () => {
    const machine = newMachine();
    const one = await machine.run([
      '--demo',
      'backup',
      'create',
      '--label',
      'first',
      '--sections',
      'store',
      '-q',
    ]);
    const two = await machine.run([
      '--demo',
      'backup',
      'create',
      '--label',
      'a\tb\u001b[31m',
      '--sections',
      'store,blog',
      '-q',
    ]);
    const dispute = await machine.run(['--demo', 'disputes', 'open', '--reason', 'lost', '-q']);
    const unknown = '00000000-0000-4000-8000-000000000000';
    await machine.run(['--demo', 'reclaim', 'appeal', unknown, '--text', 'x', '--confirm', unknown]);

    const backups = complete(machine, ['backup', '--demo', 'backup', 'restore']);

    expect(backups.toSorted()).toEqual(
      [
        `${two.stdout.trim()}\ta\\u0009b\\u001b[31m, store+blog, just now`,
        `${one.stdout.trim()}\tfirst, store, just now`,
      ].sort(),
    );
    expect(complete(machine, ['dispute', '--profile=demo'])).toEqual([
      `${dispute.stdout.trim()}\topen, lost, just now`,
      `${exampleIds.openDispute}\topen, example`,
      `${exampleIds.wonDispute}\twon, example`,
    ]);
    expect(complete(machine, ['record', '--profile', 'demo'])).toHaveLength(4);
    // The service knows no such notice.
    expect(complete(machine, ['reclaim', '--demo'])).toEqual([`${exampleIds.reclaim}\tnoticed, example`]);
    // Another profile has another history.
    expect(complete(machine, ['backup'])).toEqual([]);
  });

  test('of the example store are known before it is made, and are those that it then has', async () => {
    const machine = newMachine();
    const idsOf = (kind: string, ...words: string[]) =>
      complete(machine, [kind, ...words]).map((line) => line.split('\t')[0]);

    const disputes = idsOf('dispute', '--demo', 'disputes', 'decide');
    const reclaims = idsOf('reclaim', '--demo');
    expect(existsSync(machine.stateDirectory)).toBe(false);

    const { stdout } = await machine.run(['--demo', 'demo', 'info', '--json']);
    const example = JSON.parse(stdout);
    expect(disputes.sort()).toEqual(example.disputes.map(({ id }: { id: string }) => id).sort());
    expect(reclaims).toEqual(example.reclaims.map(({ id }: { id: string }) => id));
    // What was done to it is known from then on.
    const { openDispute } = exampleIds;
    const decision = ['--status', 'lost', '--resolution', 'x', '--confirm', openDispute];
    await machine.run(['--demo', 'disputes', 'decide', openDispute, ...decision]);
    expect(complete(machine, ['dispute', '--demo'])[0]).toMatch(`${openDispute}\tlost, `);
    // It is nobody else's.
    expect(idsOf('dispute')).toEqual([]);
    expect(idsOf('dispute', '--demo', '--store', 'another')).toEqual([]);
  });

  test('are those of the store in use, and open records are those that resume takes', async () => {
    await using server = await startFaultServer([{ does: 'drop' }, answer(201, { id: 'p1' })]);
    const env = { STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: 's1', STORECTL_API_KEY: 'key-of-a-test' };
    const machine = newMachine(env);
    const lost = await machine.run(['blog', 'create', '--title', 'a', '--content-md', 'x', '--json']);
    const made = await machine.run(['blog', 'create', '--title', 'b', '--content-md', 'x']);
    const { STORECTL_API_KEY: _, ...place } = env;

    expect([lost.exitCode, made.exitCode]).toEqual([10, 0]);
    expect(complete(machine, ['record'], place)).toHaveLength(2);
    const id = JSON.parse(lost.stderr.slice(lost.stderr.indexOf('{'))).error.operationId;
    expect(complete(machine, ['open-record'], place)).toEqual([`${id}\tblog.create, unknown, just now`]);
    expect(complete(machine, ['record', '--store', 's2'], place)).toEqual([]);
    expect(complete(machine, ['record', '--base-url=http://127.0.0.1:9'], place)).toEqual([]);
  });

  test('that would mean something to a shell are not offered', async () => {
    const machine = newMachine();
    const folder = path.join(machine.stateDirectory, 'demo', 'history');
    mkdirSync(folder, { recursive: true });
    const ids = ['$(touch owned)', 'a b', '`x`', '-rf', 'a;b', '../x', 'fine-1'];
    for (const [index, id] of ids.entries()) {
      const name = `20300101-00000${index}-aaaaaa`;
      const answer = { status: 201, body: JSON.stringify({ id, label: 'x' }) };
      const record = { id: name, operation: 'backup.create', state: 'applied', answer };
      writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(record));
    }

    expect(complete(machine, ['backup', '--demo'])).toEqual(['fine-1\tx']);
  });

  test('come from whatever can be read, and nothing is an error', () => {
    const machine = newMachine();
    const folder = path.join(machine.stateDirectory, 'demo', 'history');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, '20300101-000000-aaaaaa.json'), '{"id":"20300101');
    writeFileSync(path.join(folder, '20300101-000001-aaaaaa.json'), 'null');
    writeFileSync(path.join(folder, '20300101-000002-aaaaaa.json'), '{"id":7,"operation":[],"answer":3}');
    execFileSync('mkfifo', [path.join(folder, '20300101-000003-aaaaaa.json')]);
    symlinkSync('/etc/passwd', path.join(folder, '20300101-000004-aaaaaa.json'));

    for (const kind of ['record', 'open-record', 'backup', 'file', 'field', 'bogus', '']) {
      expect(complete(machine, [kind, '--demo'])).toEqual([]);
    }
    const examples = [exampleIds.openDispute, exampleIds.wonDispute, exampleIds.reclaim];
    const shown = ['dispute', 'reclaim'].flatMap((kind) => complete(machine, [kind, '--demo']));
    expect(shown.map((line) => line.split('\t')[0])).toEqual(examples);
    expect(complete(machine, [])).toEqual([]);
    expect(complete(machine, ['record', '--profile'])).toEqual([]);
    expect(complete(machine, ['record', '--profile', '../..'])).toEqual([]);
    writeFileSync(path.join(machine.folder, '.storectl.json'), 'no JSON');
    expect(complete(machine, ['record', '--demo'])).toEqual([]);
  });

  test('profiles are those that are stored, and never their keys', () => {
    const machine = newMachine();
    mkdirSync(machine.configDirectory);
    const profiles = { main: { storeId: 's1', baseUrl: 'https://a.example', apiKey: 'secret' }, other: {} };
    writeFileSync(path.join(machine.configDirectory, 'settings.json'), JSON.stringify({ profiles }));

    expect(complete(machine, ['profile'])).toEqual([
      'main\ts1 @ https://a.example',
      'other\tno store @ no address',
      'demo\tthe example store',
    ]);
  });
});

describe('the bash script', () => {
  /** What is offered for a command line with the cursor at its end; `words` as readline cuts it. */
  function reply(line: string, words: readonly string[], folder = temporaryFolder()): string[] {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `set -u
      source '${path.resolve('completions/storectl.bash')}'
      COMP_LINE='${line}' COMP_POINT=\${#COMP_LINE} COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}
      _storectl storectl; printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((text) => text !== '');
  }

  test.each([
    ['storectl di', ['storectl', 'di'], ['disputes']],
    ['storectl help ba', ['storectl', 'help', 'ba'], ['backup']],
    ['storectl --demo backup ', ['storectl', '--demo', 'backup', ''], ['create', 'restore']],
    ['storectl --profile x  backup c', ['storectl', '--profile', 'x', 'backup', 'c'], ['create']],
    ['storectl backup create --sec', ['storectl', 'backup', 'create', '--sec'], ['--sections']],
    [
      'storectl backup create --sections ',
      ['storectl', 'backup', 'create', '--sections', ''],
      [...sectionNames],
    ],
    [
      'storectl backup create --sections store,b',
      ['storectl', 'backup', 'create', '--sections', 'store,b'],
      ['store,blog'],
    ],
    // Readline cuts at = and :, and replaces only what follows.
    [
      'storectl backup create --sections=store,b',
      ['storectl', 'backup', 'create', '--sections', '=', 'store,b'],
      ['store,blog'],
    ],
    [
      'storectl --base-url http://x:80 history list --state un',
      ['storectl', '--base-url', 'http', ':', '//x', ':', '80', 'history', 'list', '--state', 'un'],
      ['unknown'],
    ],
    ['storectl backup create --label ', ['storectl', 'backup', 'create', '--label', ''], []],
    ['storectl store update --name --ti', ['storectl', 'store', 'update', '--name', '--ti'], []],
    [
      'storectl service create-key --preset c',
      ['storectl', 'service', 'create-key', '--preset', 'c'],
      ['ci-backup'],
    ],
    [
      'storectl disputes decide --fields id,res',
      ['storectl', 'disputes', 'decide', '--fields', 'id,res'],
      ['id,resolution'],
    ],
    ['storectl api P', ['storectl', 'api', 'P'], ['POST', 'PUT', 'PATCH']],
    ['storectl -- ba', ['storectl', '--', 'ba'], ['backup']],
    ['storectl completion ', ['storectl', 'completion', ''], ['bash', 'zsh', 'fish', 'powershell']],
  ])('%s', (line, words, expected) => {
    expect(reply(line, words)).toEqual(expected);
  });

  test('files where a file is wanted', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'decisions.csv'), '');

    const words = ['storectl', 'disputes', 'decide', '--from', 'dec'];
    expect(reply(words.join(' '), words, folder)).toEqual(['decisions.csv']);
    const positional = ['storectl', 'blog', 'create', 'dec'];
    expect(reply(positional.join(' '), positional, folder)).toEqual(['decisions.csv']);
  });

  test('every flag with its value is known: a command after it is found', () => {
    for (const { path: place, flags } of model.nodes) {
      if (place !== '' && place !== 'backup') continue;
      const first = model.nodes.find((node) => node.path === place)?.commands[0]?.name;
      if (first === undefined) continue;
      for (const { names, value } of [...flags, ...model.flags]) {
        if (value === null) continue;
        const words = ['storectl', ...(place === '' ? [] : [place]), names[0] ?? '', 'value', first];
        expect(reply(words.join(' '), words)).toEqual([first]);
      }
    }
  });
});

describe('the PowerShell script', () => {
  const script = readFileSync('completions/storectl.ps1', 'utf8');
  const table = (name: string) => script.split(`    ${name} = @{\n`)[1]?.split('\n    }\n')[0] ?? '';
  const keysOf = (text: string) =>
    [...text.matchAll(/^ {8}'((?:[^']|'')*)' = /gm)].map(([, key]) => key ?? '');

  test('has every command, flag and value of the model', () => {
    expect(keysOf(table('Commands'))).toEqual(
      model.nodes.filter((node) => node.commands.length > 0).map((node) => node.path),
    );
    for (const { flags } of [...model.nodes, model]) {
      for (const { names, description } of flags) {
        for (const name of names) {
          expect(table('Flags')).toContain(`'${name}', '${description.replaceAll("'", "''")}'`);
        }
      }
    }
    const values = table('Completions');
    for (const { path: place, flags } of model.nodes) {
      for (const { names, value } of flags) {
        const [name = ''] = names;
        const row = `        '${place} ${name}' = '${value}'\n`;
        if (value === null) expect(values).not.toContain(`'${place} ${name}' =`);
        else expect(`${values}\n`).toContain(row);
      }
    }
  });

  test('has no key twice: PowerShell would refuse the whole script', () => {
    for (const name of ['Commands', 'Flags', 'Completions']) {
      const keys = keysOf(table(name)).map((key) => key.toLowerCase());
      expect(keys.length).toBeGreaterThan(5);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});
