import { expect, test } from 'vitest';
import { writeFiles } from '../../helpers/bulk.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { leaveUnreported } from '../../helpers/seed-history.ts';
import { typed } from '../../helpers/typed.ts';

const nothing = { stderr: expect.stringMatching(/^Nothing to resume\./) };

test('what was applied and never reported is listed by resume, once', async () => {
  const { server, machine } = await setScene({ answers: [answer(201, { id: 'backup-1' })] });
  await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);
  expect(await machine.run(['resume'])).toMatchObject(nothing);
  leaveUnreported(machine);

  const resumed = await machine.run(['resume', '--json']);

  expect(resumed.exitCode).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject([
    {
      action: 'reported',
      state: 'applied',
      result: { id: 'backup-1' },
      message: 'was applied before; nothing was sent',
    },
  ]);
  expect(await machine.run(['resume'])).toMatchObject(nothing);
  expect(server.requests).toHaveLength(1);
});

test('what the user has marked as applied is not listed again, and the same key says that there is no response', async () => {
  const { server, machine } = await setScene({ answers: [{ does: 'drop' }] });
  const create = typed`backup create --label nightly --sections store --idempotency-key k-1`;
  const lost = await machine.run([...create, '--timeout', '0.3', '--json']);
  expect(lost.exitCode).toBe(10);
  const { operationId } = JSON.parse(lost.stderr.trimEnd().split('\n').at(-1) ?? '').error;
  const before = server.requests.length;

  expect(await machine.run(['resume', operationId, '--mark', 'applied'])).toMatchObject({ exitCode: 0 });

  expect(await machine.run(['resume'])).toMatchObject(nothing);
  const again = await machine.run(create);
  expect(again).toMatchObject({ exitCode: 0, stdout: '' });
  expect(again.stderr).toContain(`${operationId} was marked as applied with \`storectl resume\``);
  expect(again.stderr).not.toContain('undefined');
  expect(server.requests).toHaveLength(before);
});

async function createTwoPosts() {
  const { server, machine } = await setScene({ answers: [answer(201, { id: 'p-1' })] });
  writeFiles(machine, { 'a.md': '# a\n', 'b.md': '# b\n' });
  const create = ['blog', 'create', 'a.md', 'b.md', '--json'];
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
  expect(await machine.run(['resume'])).toMatchObject(nothing);
  leaveUnreported(machine);
  return { server, machine, create };
}

test('posts of a batch that were never reported are listed by resume, once', async () => {
  const { server, machine, create } = await createTwoPosts();

  const resumed = await machine.run(['resume', '--json']);

  expect(JSON.parse(resumed.stdout)).toMatchObject([
    { operation: 'blog.create', action: 'reported' },
    { operation: 'blog.create', action: 'reported' },
  ]);
  expect(await machine.run(['resume'])).toMatchObject(nothing);
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});

test('the same batch again sends no post twice', async () => {
  const { server, machine, create } = await createTwoPosts();

  const again = await machine.run(create);

  expect(JSON.parse(again.stdout)).toMatchObject([{ outcome: 'exists' }, { outcome: 'exists' }]);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});

test('an unexpected response is said once for a command, however many requests it sends', async () => {
  const drifted = { status: 'open', createdAt: 1 };
  const { machine } = await setScene({
    answers: [
      answer(200, { record: drifted, evidence: [] }),
      answer(200, { record: { ...drifted, status: 'lost' }, evidence: [] }),
      answer(200, { record: drifted, evidence: [] }),
      answer(200, { ...drifted, status: 'won', resolution: 'Delivered.' }),
    ],
  });
  const [first, second] = ['5f0cbead-0000-4000-8000-000000000001', '5f0cbead-0000-4000-8000-000000000002'];
  writeFiles(machine, {
    'd.csv': `disputeId,status,resolution\n${first},won,Delivered.\n${second},lost,No.\n`,
  });

  for (const args of [
    typed`disputes decide --from d.csv --confirm 2`,
    typed`disputes decide ${first} --status won --resolution Delivered. --confirm ${first}`,
  ]) {
    const { stderr } = await machine.run(args);
    const said = stderr.split('\n').filter((line) => line.includes('unexpected response'));
    expect(said.length, stderr).toBeGreaterThan(0);
    expect(new Set(said).size).toBe(said.length);
  }
});
