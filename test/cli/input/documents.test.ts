import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const target = { origin: 'https://api.example.com', storeId: 'store-1', apiKey: 'some-long-key' };

/** What a dry run of `settings save` makes of a file: its body, or the message of the error. */
async function read(text: string, name = 'settings.yaml'): Promise<unknown> {
  const machine = machineFor(target);
  writeFileSync(path.join(machine.folder, name), text);
  const { exitCode, stdout, stderr } = await machine.run(
    typed`settings save --from-file ${name} --dry-run --json`,
  );
  if (exitCode === 0) return JSON.parse(stdout).body;
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  return JSON.parse(stderr).error.message.replace(`${name} (--from-file): `, '');
}

describe('YAML', () => {
  test.each<[string, string]>([
    [
      'quietHours:\n\tstart: "21:15"\n',
      'in line 2 (start: "21:15"): a tab at its beginning; YAML is indented',
    ],
    ['quietHours: {\n\tstart: "21:15"}\n', 'in line 2 (start: "21:15"}): a tab at its beginning'],
    [
      'a: Ink: a story\n',
      'in line 1 (a: Ink: a story): a text with a colon and a space in it must be in quotes',
    ],
    ['a: 1\n\nb: "x\nc: 2\n', 'in line 3 (b: "x): a text without its closing quote'],
    ['a: [1, 2\nb: 3\n', 'in line 1 (a: [1, 2): a bracket is not closed'],
    ['a: 1\njust text\nb: 2\n', 'in line 2 (just text): not "name: value"'],
    ['a: 1\n  b: 2\n', 'in line 2 (b: 2): indented although the line above has a value'],
    ['a:\n  b: 1\n c: 2\n', 'in line 3 (c: 2): not indented like the lines above'],
    ['a: @x\n', 'in line 1 (a: @x): a text that begins with @ must be in quotes'],
    ['a: 1\nb: *.md\n', 'in line 2 (b: *.md): *.md must be in quotes'],
    ['a: !foo x\n', 'the tag !foo is not known'],
    ['a: "\\d"\n', 'an invalid escape'],
    ['a: 1\n---\nb: 2\n', 'in line 2 (---): a second document'],
    ['a: &a\n  b: *a\n', 'nested more than 500 levels deep'],
    [
      'a: 1\nb: 12345678901234567890\n',
      'the number 12345678901234567890 in line 2, which cannot be sent exactly',
    ],
    ['a: .inf\n', 'the number .inf in line 1, which cannot be sent exactly'],
  ])('%j is refused with its line and the reason', async (text, message) => {
    expect(await read(text)).toContain(message);
  });

  test('has merge keys, and an own key wins over a merged one', async () => {
    const text = 'a: &common\n  private: true\n  title: A\nb:\n  <<: *common\n  title: B\n';

    expect(await read(text)).toMatchObject({ b: { private: true, title: 'B' } });
  });
});

describe('JSON', () => {
  test.each<[string, string]>([
    ['{"a": 1 // one\n}', 'in line 1 ({"a": 1 // one): a comment, which JSON does not have'],
    ['{\n  /* two\n */ "a": 1}', 'in line 2 (/* two): a comment'],
    ['// first\n{"a": 1}', 'in line 1 (// first): a comment'],
    ['{"a": 1 # one\n}', 'in line 1 ({"a": 1 # one): a comment'],
    ['{"a": 1,\n}', 'in line 2 (}): a comma before }, which JSON does not allow'],
    ['{"a": [1,]}', 'a comma before ]'],
    ['{"a": 1\n "b": 2}', 'in line 2 ("b": 2}): a comma is missing before "b"'],
    ['{"a" 1}', 'a colon is missing after the name'],
    ['{"a": 1\n\n\n', 'in line 1 ({"a": 1): a closing } is missing'],
    ['{"a": 1}}', 'text after the end of the JSON'],
    ['{"a": True}', 'True is not in double quotes'],
    ["{'a': 1}", "'a' is not in double quotes"],
    ['{"a": "x\n"}', 'in line 1 ({"a": "x): a text without its closing quote'],
    ['{"a": "\\d"}', 'an invalid escape'],
    ['{"a": "\t"}', 'a tab or control character in a text'],
    ['{"a": 01}', '01 is not a number of JSON'],
    ['{"a": }', 'a value is missing'],
  ])('%j is refused with its line and the reason', async (text, message) => {
    expect(await read(text, 'settings.json')).toContain(message);
  });

  test.each<[string, string]>([
    ['{"a": 1 // one\n}', 'a comment, which JSON does not have'],
    ['{"a": 1, /* two */ "b": 2}', 'a comment, which JSON does not have'],
    ['{"a": 1 "b": 2}', 'invalid JSON in line 1'],
  ])('%j is JSON whatever its name says', async (text, message) => {
    expect(await read(text, 'settings')).toContain(message);
  });

  test('an address in YAML between braces is no comment', async () => {
    expect(await read('{a: https://shop.example/x, b: "c // d"}', 'settings')).toEqual({
      a: 'https://shop.example/x',
      b: 'c // d',
    });
  });
});

test.each([
  ['settings.json', `{"a": ${'['.repeat(3000)}${']'.repeat(3000)}}`],
  ['settings.yaml', `a: ${'['.repeat(3000)}${']'.repeat(3000)}`],
  ['endless.yaml', `a: ${'['.repeat(20_000)}`],
])('%s: what is nested too deeply is an error, not a crash', async (name, text) => {
  expect(await read(text, name)).toMatch(/nested (too deeply|more than 500 levels deep)/);
});

describe('a key that is set twice', () => {
  const status = 'status is set twice, in lines 1 and 3';
  const id = '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4';
  test.each([
    ['d.json', '{"status":"lost",\n"resolution":"r",\n"status":"won"}', status],
    ['d.yaml', 'status: lost\nresolution: r\nstatus: won\n', status],
    ['d.yaml', '{status: lost, resolution: r, status: won}', 'status is set twice, in line 1'],
    ['d.json', '{"status":"won","more":[{"a":1},\n{"b":1,"b":2}]}', 'more.1.b is set twice, in line 2'],
    // The same key however it is written.
    ['d.json', '{"status":"lost","resolution":"r","st\\u0061tus":"won"}', 'status is set twice, in line 1'],
    ['d.yaml', '"status": lost\nstatus: won\n', 'status is set twice, in lines 1 and 2'],
  ])('is refused in a decision: %s %j', async (name, text, message) => {
    const { server, machine } = await setScene({ answers: [] });
    writeFileSync(path.join(machine.folder, name), text);

    const result = await machine.run(typed`disputes decide ${id} --from-file ${name} --confirm ${id}`);

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(server.requests).toEqual([]);
  });

  test('is refused by --set, api and the settings of a folder', async () => {
    const { server, machine } = await setScene({ answers: [] });
    writeFileSync(path.join(machine.folder, 'body.json'), '{"name": "a",\n "name": "b"}');
    const set = await machine.run(['store', 'update', '--set', 'settings={"cashbackBp":1,"cashbackBp":2}']);
    const field = await machine.run(['api', 'PATCH', '/v1/stores/{store}', '-f', 'settings={"a":1,"a":2}']);
    const api = await machine.run(['api', 'PATCH', '/v1/stores/{store}', '--input', 'body.json']);
    writeFileSync(path.join(machine.folder, '.storectl.json'), '{"storeId": "a",\n"storeId": "b"}');
    const folder = await machine.run(['settings', 'show']);

    expect(set).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cashbackBp is set twice') });
    expect(field).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a is set twice') });
    expect(api).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('name is set twice, in lines 1 and 2'),
    });
    expect(folder).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('storeId is set twice') });
    expect(server.requests).toEqual([]);
  });
});

test('a value that the contract refuses is named with its line, unless a flag gave it', async () => {
  const machine = machineFor(target);
  writeFileSync(path.join(machine.folder, 's.yaml'), 'quietHours:\n  start: "20:00"\n  enabled: 5\n');
  const run = (args: string) =>
    machine.run(typed`settings save --from-file s.yaml --dry-run`.concat(args.split(' ').filter(Boolean)));

  expect((await run('')).stderr).toContain('quietHours.enabled must be true or false (got 5) in line 3');
  expect((await run('--set quietHours.enabled=7')).stderr).not.toContain('line 3');
  expect((await run('--quiet-hours-enabled')).exitCode).toBe(0);
});

describe('a key of YAML with nothing behind it', () => {
  test.each([
    [
      'templates:\n#  dispute_opened:\n#    title: T\nquietHours:\n  start: "20:00"\n',
      'templates is empty in line 1',
    ],
    ['# all\nquietHours:\n  enabled: true\ndiscovery: # later\n', 'discovery is empty in line 4'],
    ['templates:\n  order\\.paid:\n', 'is empty in line 2'],
    ['discovery:\n  categories:\n', 'discovery.categories is empty in line 2'],
    ['loyalty:\n', 'loyalty is empty in line 1'],
  ])('is refused where more than one value belongs: %j', async (text, message) => {
    expect(await read(text)).toContain(`${message}: remove it, or write null to reset it`);
  });

  test('resets one value, and null resets all that it stands at', async () => {
    const text = 'quietHours:\n  start:\ntemplates: null\ndiscovery: ~\nshowcase: {}\n';

    expect(await read(text)).toEqual({
      quietHours: { start: null },
      templates: null,
      discovery: null,
      showcase: {},
    });
  });

  test('a section whose lines are comments stays as it is', async () => {
    const { machine } = await setScene();
    await machine.run(typed`settings save --set templates.dispute_opened.title=T`);
    const before = (await machine.run(typed`settings show --json`)).stdout;
    writeFileSync(path.join(machine.folder, 's.yaml'), 'templates:\n#  dispute_opened:\n#    title: T\n');

    const saved = await machine.run(typed`settings save --from-file s.yaml`);

    expect(saved.stderr).toContain(
      's.yaml (--from-file): templates is empty in line 1: remove it, or write null',
    );
    expect((await machine.run(typed`settings show --json`)).stdout).toBe(before);
    expect((await machine.run(typed`settings save --set templates=null`)).exitCode).toBe(0);
    expect(JSON.parse((await machine.run(typed`settings show --json`)).stdout).templates ?? {}).toEqual({});
  });
});
