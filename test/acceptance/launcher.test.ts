import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandPaths } from '../../scripts/help-texts.ts';
import { helpFile } from '../../src/cli/program/rendered-help.ts';
import { newMachine } from '../helpers/cli.ts';
import { launcher, newProgramMachine, programLine, testNode } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

test('a value that looks like a question for help is a value', async () => {
  const machine = newProgramMachine();

  const { exitCode, stdout, stderr } = await machine.run(['--demo', 'demo', 'info', '--', '--help']);

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('error:');
});

test('the build writes the help of every command as the parser prints it, and the program prints what is written', async () => {
  const parser = newMachine({ FORCE_COLOR: '1' });
  for (const words of commandPaths()) {
    const { stdout } = await parser.run([...words, '--help']);
    expect(readFileSync(helpFile(words), 'utf8'), words.join(' ')).toBe(stdout);
    expect(stdout).toContain('\u001b[1m');
  }

  const machine = newProgramMachine();
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(path.join(launcher, '..', '..', name), path.join(machine.folder, name), { recursive: true });
  }
  const copy = path.join(machine.folder, 'dist', 'help', path.basename(helpFile(['doctor'])));
  writeFileSync(copy, '\u001b[1mas it was\u001b[22m written\n');
  const help = `'${testNode}' bin/storectl.js doctor --help`;
  expect(await machine.shell(help)).toMatchObject({ stdout: 'as it was written\n' });
  expect(await machine.shell(`FORCE_COLOR=1 ${help}`)).toMatchObject({
    stdout: '\u001b[1mas it was\u001b[22m written\n',
  });
});

test('a clone that was not built says so', async () => {
  const machine = newProgramMachine();
  cpSync(path.dirname(launcher), path.join(machine.folder, 'bin'), { recursive: true });

  const { exitCode, stderr } = await machine.shell(`'${testNode}' bin/storectl.js --version`);

  expect({ exitCode, stderr }).toEqual({ exitCode: 11, stderr: expect.stringContaining('npm ci') });
});

test.each(['12.22.12', '18.20.8', '20.18.3'])(
  'on Node %s the error says that Node is too old',
  async (version) => {
    const machine = newProgramMachine();
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const pretend = path.join(machine.folder, 'pretend.cjs');
    writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);

    expect(engines.node).toBe('>=20.19');
    expect(await machine.run(['--version'], { preload: pretend })).toMatchObject({
      exitCode: 11,
      stdout: '',
      stderr: expect.stringMatching(/^error: storectl needs Node\.js 20\.19 or later.*\n$/),
    });
  },
);

test('the launcher has no syntax that a Node from before 2018 cannot parse', () => {
  const source = readFileSync(launcher, 'utf8');

  expect(source).not.toMatch(/\?\.|\?\?|\bawait\b|\basync\b|\bimport\b|catch \{|\.\.\.|#[a-z]+\(/);
});

test('modules of libraries that are never called are not in the bundle', () => {
  const folder = path.join(launcher, '..', '..', 'dist', 'chunks');
  const bundle = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));

  // HTTP/2, schema validation, forms, and signals. See rolldown.config.mjs.
  for (const trace of [
    'node:http2',
    'node_modules/ajv',
    'node_modules/when-exit',
    'web/fetch/',
    'core/connect.js',
  ]) {
    expect(bundle.filter((text) => text.includes(trace))).toEqual([]);
  }
  expect(bundle.some((text) => text.includes('node_modules/undici'))).toBe(true);
});

test('in a narrow terminal help is wrapped to it', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env);

  terminal.type(`clear; stty cols 60; ${programLine} completion install --help; echo ---`);
  const screen = await terminal.shows(/---\n/);

  const [, description = ''] = screen.split(/Usage: storectl completion install \[shell\] \[options\]\n\n/);
  const lines = description.slice(0, description.indexOf('\n\n')).split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
});
