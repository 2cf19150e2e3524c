import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';

test('without its optional packages the program still runs, and what needs the engine says what to install', async () => {
  const machine = newProgramMachine();
  const preload = path.join(machine.folder, 'without-libsql.cjs');
  writeFileSync(
    preload,
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...rest) {
      return resolve.call(this, name === 'libsql' ? 'not-installed' : name, ...rest);
    };`,
  );

  const demo = await machine.run(['--demo', 'settings', 'show'], { preload });
  const store = await machine.run(['service', 'stores', 'create', '--name', 'A'], { preload });

  for (const result of [demo, store]) {
    expect(result).toMatchObject({ exitCode: 11, stdout: '' });
    expect(result.stderr).toContain(
      'needs the package libsql, which is not installed: run `npm install libsql`',
    );
    expect(result.stderr).toContain('--omit=optional');
  }
  expect(await machine.run(['profile', 'list'], { preload })).toMatchObject({ exitCode: 0 });
});

test('an engine whose file was cut off is named with its cause, and ends no process by a signal', async () => {
  const machine = newProgramMachine();
  const cutOff = path.join(machine.folder, 'index.node');
  const preload = path.join(machine.folder, 'cut-off.cjs');
  writeFileSync(
    preload,
    `const { readFileSync, writeFileSync } = require('node:fs');
    const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (...args) {
      const file = resolve.apply(this, args);
      if (!file.endsWith('.node')) return file;
      const whole = readFileSync(file);
      writeFileSync('index.node', whole.subarray(0, whole.length / 2));
      return ${JSON.stringify(cutOff)};
    };`,
  );

  const demo = await machine.run(['--demo', 'settings', 'show'], { preload });
  const store = await machine.run(['service', 'stores', 'create', '--name', 'A'], { preload });

  for (const result of [demo, store]) {
    expect(result).toMatchObject({ exitCode: 11, stdout: '' });
    expect(result.stderr).toContain(`libsql, which cannot be loaded: ${cutOff} is incomplete: it has `);
    expect(result.stderr).toContain('reinstall storectl');
  }
});
