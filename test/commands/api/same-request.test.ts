import { describe, expect, test } from 'vitest';
import { canonicalPath } from '../../../src/contract/operation.ts';
import type { Machine } from '../../helpers/cli.ts';
import { answer, type Behaviour } from '../../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../../helpers/scene.ts';

const { storeId } = scriptedStore;
const id = '4be5a3c0-0000-4000-8000-00000000000a';
const noticePath = `/v1/stores/${storeId}/operations/subdomain-reclaims/${id}/appeal`;
const decisionPath = `/v1/stores/${storeId}/operations/disputes/${id}/decision`;

/** Other ways to write the same path. */
const spellings: readonly [string, (path: string) => string][] = [
  ['as it is', (path) => path],
  [
    'with its ids in capitals',
    (path) => path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, (uuid) => uuid.toUpperCase()),
  ],
  ['with escapes', (path) => path.replaceAll('0', '%30').replace('operations', '%6fperations')],
  ['with a query', (path) => `${path}?source=cron`],
  ['with slashes too many', (path) => `${path.replace('/operations', '//operations')}/`],
  ['with a parameter of the path', (path) => `${path};jsessionid=1`],
];

const appeal = (machine: Machine) =>
  machine.run(['reclaim', 'appeal', id, '--text', 'Open', '--confirm', id]);

async function startWith(...script: readonly Behaviour[]) {
  const scene = await setScene({ answers: script });
  const posts = () => scene.server.requests.filter(({ method }) => method === 'POST').length;
  return { ...scene, posts };
}

describe.each(spellings)('a raw request, written %s, is known as the one of a named command', (_, spell) => {
  test('an appeal that may have been sent is not sent again', async () => {
    const { machine, posts } = await startWith({ does: 'drop' }, answer(201, { id: 'made' }));
    expect((await appeal(machine)).exitCode).toBe(10);

    const raw = await machine.run(['api', 'POST', spell(noticePath), '-f', 'text=Closed']);

    expect(raw).toMatchObject({ exitCode: 10, stdout: '' });
    expect(posts()).toBe(1);
  });

  test('an appeal that was sent is the only one', async () => {
    const { machine, posts } = await startWith(answer(201, { id: 'made' }));
    expect((await machine.run(['api', 'POST', spell(noticePath), '-f', 'text=Open'])).exitCode).toBe(0);

    expect((await appeal(machine)).exitCode).toBe(6);
    expect((await machine.run(['api', 'POST', noticePath, '-f', 'text=Closed'])).exitCode).toBe(6);
    expect(posts()).toBe(1);
  });

  test('a decision in doubt is looked for, and not sent again', async () => {
    const dispute = answer(200, { record: { id, storeId, status: 'open' }, evidence: [] });
    const { machine, posts } = await startWith({ does: 'drop' }, dispute);
    const decide = (path: string) =>
      machine.run(['api', 'POST', path, '-f', 'status=lost', '-f', 'resolution=Refunded.']);
    expect((await decide(decisionPath)).exitCode).toBe(10);

    expect((await decide(spell(decisionPath))).exitCode).toBe(10);

    expect(posts()).toBe(1);
  });

  test('it is sent as it was typed', async () => {
    const { machine, server } = await startWith({ does: 'drop' }, answer(201, { id: 'made' }));
    const spelled = spell(noticePath);
    await machine.run(['api', 'POST', spelled, '-f', 'text=Open']);

    const [listed] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    const show = async (...flags: string[]) =>
      (await machine.run(['history', 'show', listed.id, ...flags])).stdout;
    expect(server.requests[0]?.path).toBe(spelled);
    expect(JSON.parse(await show('--json'))).toMatchObject({ operation: 'reclaim.appeal', path: noticePath });
    expect(await show()).toContain(spelled);
  });
});

test('a refusal names the flag of the command that was typed', async () => {
  const { machine, posts } = await startWith(answer(201, { id: 'made' }));
  await appeal(machine);
  const raw = ['api', 'POST', noticePath, '-f', 'text=Open'];
  const refused = await machine.run(raw);

  expect(refused.stderr).toContain('add --allow-duplicate to send it anyway');
  expect((await appeal(machine)).stderr).toContain('add --resubmit to send it anyway');
  expect(await machine.run([...raw, '--allow-duplicate'])).toMatchObject({ exitCode: 0 });
  expect(posts()).toBe(2);
});

test.each([
  ['/v1/x?y#z', '/v1/x'],
  ['/v1/%7Ea/%c3%a4', '/v1/~a/%C3%A4'],
  ['/v1/%ff', '/v1/%FF'],
  ['/v1/a%3Bb', '/v1/a%3Bb'],
  ['/', '/'],
])('the canonical path of %s is %s', (path, canonical) => {
  expect(canonicalPath(path)).toBe(canonical);
});
