import { expect, test } from 'vitest';
import { formatKey } from '../../../src/contract/api-key.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';

const key = formatKey({ kind: 'live', id: 'a'.repeat(12), secret: 'S3cret'.repeat(8).slice(0, 43) });

test.each<[string, readonly string[], Readonly<Record<string, string>>?]>([
  ['as an unknown option', ['store', 'show', `--api-key=${key}`]],
  ['as a command', [key]],
  ['as a part of a command', ['store', key]],
  ['as an argument too many', ['store', 'show', key]],
  ['as a profile', ['store', 'show', '--profile', key]],
  ['as a timeout', ['store', 'show', '--timeout', key]],
  ['as a field', ['store', 'update', '--set', key]],
  ['as the value of a field', ['store', 'update', '--brand-color', key]],
  ['as a field to show', ['store', 'show', '--fields', key]],
  ['as a file', ['store', 'update', '--from-file', key]],
  ['in an address', ['store', 'show', '--base-url', `https://x.invalid/?${key}`]],
  ['as the id of a post', ['blog', 'show', key]],
  ['as the id of a record', ['history', 'show', key]],
  [
    'said by a command that fails',
    ['store', 'show'],
    { STORECTL_API_KEY: '', STORECTL_API_KEY_COMMAND: `echo ${key} >&2; exit 1` },
  ],
])('no error shows a key that was given in the wrong place: %s', async (_, args, env = {}) => {
  const { machine } = await setScene({ answers: [answer(404, { code: 'not_found', detail: `No ${key}` })] });
  for (const more of [[], ['--json']]) {
    const { exitCode, stdout, stderr } = await machine.run([...args, ...more], { env });
    expect(exitCode).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(stdout + stderr).not.toContain(key.slice(-49));
  }
});

test('what was a key is marked, and the rest of an error stays', async () => {
  const { machine } = await setScene({ answers: [answer(200, {})] });
  const { stderr } = await machine.run(['store', 'show', `--api-key=${key}`]);
  expect(stderr).toContain('--api-key=sk_…[redacted]');
});
