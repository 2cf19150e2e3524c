import { expect, test } from 'vitest';
import type { Passage } from '../helpers/lossy-proxy.ts';
import { setScene } from './scene.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];
const post = ['blog', 'create', '--title', 'Sale', '--content-md', 'Text.'];
const dispute = 'c0ffee00-0000-4000-8000-000000000000';
const answer = (status: number, headers: Record<string, string> = {}): Passage => ({ status, headers });

interface Row {
  readonly code: number;
  readonly why: string;
  readonly args: readonly string[];
  readonly passage?: Passage;
  readonly env?: Readonly<Record<string, string>>;
}

/** The table of the exit codes, from end to end. */
const rows: readonly Row[] = [
  { code: 0, why: 'done', args: create },
  { code: 2, why: 'an unknown flag', args: [...create, '--sectoins', 'x'] },
  { code: 2, why: 'invalid input', args: ['store', 'update', '--cashback-bp', '2.5'] },
  { code: 3, why: 'a missing value', args: ['backup', 'create'] },
  { code: 3, why: 'a missing confirmation', args: ['backup', 'restore', dispute, '--sections', 'store'] },
  { code: 4, why: 'no key', args: create, env: { STORECTL_API_KEY: '' } },
  { code: 4, why: '401', args: create, passage: answer(401) },
  { code: 4, why: '403', args: create, passage: answer(403) },
  { code: 5, why: '404', args: ['disputes', 'show', dispute] },
  { code: 5, why: '410', args: create, passage: answer(410) },
  { code: 6, why: '409', args: post, passage: answer(409) },
  { code: 6, why: '412', args: create, passage: answer(412) },
  { code: 7, why: '422', args: create, passage: answer(422) },
  { code: 7, why: '400', args: post, passage: answer(400) },
  { code: 8, why: '429, one-shot', args: post, passage: answer(429, { 'retry-after': '1' }) },
  { code: 8, why: '429 for too long', args: create, passage: answer(429, { 'retry-after': '600' }) },
  { code: 9, why: '501', args: post, passage: answer(501) },
  { code: 9, why: 'nobody there', args: [...create, '--base-url', 'http://127.0.0.1:9', '--timeout', '1'] },
  { code: 10, why: '503, one-shot', args: post, passage: answer(503) },
  {
    code: 10,
    why: 'no answer',
    args: [...create, '--timeout', '4'],
    passage: { waitFor: new Promise(() => {}) },
  },
  { code: 11, why: 'no state folder', args: create, env: { STORECTL_STATE_DIR: '/dev/null/state' } },
];

test('every exit code is the same with --json, and stdout holds data only', async () => {
  const scene = await setScene();
  const outcomes = [];
  for (const { code, why, args, passage = 'pass', env = {} } of rows) {
    scene.proxy.decide(() => passage);
    const [plain, json] = await Promise.all([
      scene.anotherMachine(env).run(args),
      scene.anotherMachine(env).run([...args, '--json']),
    ]);
    outcomes.push({ why, plain: plain.exitCode, json: json.exitCode });
    if (code === 0) {
      expect(JSON.parse(json.stdout)).toHaveProperty('id');
      continue;
    }
    expect({ plain: plain.stdout, json: json.stdout }, why).toEqual({ plain: '', json: '' });
    const error = JSON.parse(json.stderr.slice(json.stderr.indexOf('{"error"'))).error;
    expect(error, why).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(plain.stderr, why).toMatch(/^error: /m);
  }
  expect(outcomes).toEqual(rows.map(({ code, why }) => ({ why, plain: code, json: code })));
}, 120_000);

test('a reader that has seen enough is no error', async () => {
  const { machine } = await setScene();
  const result = await machine.shell('storectl settings show --json | head -c 1; echo');
  expect(result).toMatchObject({ exitCode: 0, stdout: '{\n' });
  expect(result.stderr).not.toContain('EPIPE');
});
