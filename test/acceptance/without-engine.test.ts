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
