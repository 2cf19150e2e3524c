import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFile } from '../../../src/cli/output/output-file.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { makeNamedPipe } from '../../helpers/named-pipe.ts';
import { setScene } from '../../helpers/scene.ts';

test('a file that cannot get its name leaves no draft behind', () => {
  const cwd = temporaryFolder();
  const write = openFile({ cwd }, 'out.json');
  mkdirSync(path.join(cwd, 'out.json'));

  expect(() => write('{}')).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'unwritable_file' }) }),
  );
  expect(readdirSync(cwd)).toEqual(['out.json']);
});

const backup = { id: '0b8f3f0e-3c1e-4d0f-9a54-5d2f6f3e8a11', label: 'x', sections: ['store'] };
const create = ['backup', 'create', '--label', 'x', '--sections', 'store'];

describe('--output-file', () => {
  test('a file keeps its mode, so that a private one stays private', async () => {
    const { machine } = await setScene({ answers: [answer(201, backup)] });
    const file = path.join(machine.folder, 'out.json');
    writeFileSync(file, 'old', { mode: 0o600 });
    const { mode } = statSync(file);

    expect(await machine.run([...create, '--output-file', 'out.json'])).toMatchObject({ exitCode: 0 });

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ label: 'x' });
    expect(statSync(file).mode).toBe(mode);
  });

  test.each(['folder', 'fifo', 'dangling', ''])('%j is refused before anything is sent', async (name) => {
    const { server, machine } = await setScene({ answers: [answer(201, backup)] });
    mkdirSync(path.join(machine.folder, 'folder'));
    makeNamedPipe(path.join(machine.folder, 'fifo'));
    symlinkSync('nowhere', path.join(machine.folder, 'dangling'));

    const { exitCode, stderr } = await machine.run([...create, '--output-file', name]);

    expect(stderr).toContain('--output-file');
    expect(exitCode).toBe(2);
    expect(server.requests).toHaveLength(0);
    expect(statSync(path.join(machine.folder, 'fifo')).isFIFO()).toBe(true);
  });

  test.each([
    ['-', 'the response is always printed'],
    ['', 'the response is always printed'],
    ['nope/out.json', 'directory '],
  ])('%j is refused as a file, and the message says why', async (name, says) => {
    const { server, machine } = await setScene({ answers: [answer(201, backup)] });

    const { exitCode, stderr } = await machine.run([...create, '--output-file', name]);

    expect(stderr).toContain(name.startsWith('nope') ? says + path.join(machine.folder, 'nope') : says);
    expect(exitCode).toBe(2);
    expect(readdirSync(machine.folder)).not.toContain('-');
    expect(server.requests).toHaveLength(0);
  });

  test('that is a link writes to the file behind it', async () => {
    const { machine } = await setScene({ answers: [answer(201, backup)] });
    writeFileSync(path.join(machine.folder, 'real.json'), 'old');
    symlinkSync('real.json', path.join(machine.folder, 'link.json'));

    const { exitCode } = await machine.run([...create, '--output-file', 'link.json']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(path.join(machine.folder, 'real.json'), 'utf8'))).toEqual(backup);
  });
});
