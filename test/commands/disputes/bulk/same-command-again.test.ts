import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { gate } from '../../../helpers/gate.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';

test('a second run of the same file waits for the first: what that is sending is not in doubt', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(2);
  writeFiles(machine, { 'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`)].join('\n') });
  const args = typed`disputes decide --from decisions.csv --confirm 2 --json`;
  const { opened, open } = gate();
  proxy.decide(({ method }) => (method === 'POST' ? { waitFor: opened } : 'pass'));

  const first = machine.run(args);
  // Two reads for the plan, one before the decision, and the decision.
  await proxy.received(3);
  await expect.poll(() => proxy.writes().length).toBe(1);
  const second = machine.run(args);
  await expect.poll(() => proxy.requests.length).toBe(6);
  open();

  expect((await first).exitCode).toBe(0);
  expect(await second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 already decided') });
  expect(proxy.writes()).toHaveLength(2);
}, 120_000);

test('a file that was saved with other line breaks holds the same decisions, and another resolution is said', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [first, second] = await other.openDisputes(2);
  const decide = ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '2', '--json'];
  const rows = [header, `${first},won,"Signed by\r\nthe buyer"`, `${second},won,Delivered`];
  writeFiles(machine, { 'decisions.csv': rows.join('\r\n') });
  expect(await machine.run(decide)).toMatchObject({ exitCode: 0 });
  writeFiles(machine, {
    'decisions.csv': rows.join('\n').replaceAll('\r', '').replace('Delivered', 'Delivered late'),
  });

  const again = await machine.run(decide);

  expect(JSON.parse(again.stdout)).toMatchObject([
    { outcome: 'exists' },
    { outcome: 'failed', message: 'already decided as won, with another resolution: "Delivered"' },
  ]);
});

test('a decision in doubt does not hold up the others, and is not sent again before it is settled', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(4);
  writeFiles(machine, { 'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`)].join('\n') });
  // The second decision reaches nobody; neither can the dispute be read to settle it.
  proxy.decide(({ method, path: where }) => {
    if (!where.includes(ids[1] ?? '-')) return 'pass';
    if (method === 'POST') lost = true;
    return lost ? 'lose' : 'pass';
  });
  let lost = false;
  const args = typed`disputes decide --from decisions.csv --confirm 4 --json --timeout 2`;

  const first = await machine.run(args);
  proxy.decide(() => 'pass');
  const second = await machine.run(args);

  expect(first.exitCode).toBe(10);
  const outcomesOf = (text: string) => JSON.parse(text).map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomesOf(first.stdout)).toEqual(['applied', 'unknown', 'applied', 'applied']);
  expect(first.stderr).toContain('"hint":"run the same command again: no dispute is decided twice"');
  expect(second.exitCode).toBe(10);
  expect(outcomesOf(second.stdout)).toEqual(['exists', 'unknown', 'exists', 'exists']);
  const [, inDoubt] = JSON.parse(second.stdout);
  expect(inDoubt.message).toContain(inDoubt.operationId);
  await machine.run(['resume', inDoubt.operationId, '--mark', 'not-applied']);
  const third = await machine.run(args);
  expect(third.exitCode).toBe(0);
  expect(outcomesOf(third.stdout)).toEqual(['exists', 'applied', 'exists', 'exists']);
  const { decisions } = await tables(service);
  for (const id of ids) expect(decisions.filter(({ disputeId }) => disputeId === id)).toHaveLength(1);
});

test('a store that was restored since: what is open again is decided again', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [reopened = '', gone = '', kept = ''] = await other.openDisputes(3);
  const rows = [reopened, gone, kept].map((id) => `${id},won,ok`);
  writeFiles(machine, { 'decisions.csv': [header, ...rows].join('\n') });
  const args = ['disputes', 'decide', '--from', 'decisions.csv', '--json'];
  expect(await machine.run([...args, '--confirm', '3'])).toMatchObject({ exitCode: 0 });
  await service.storage.forStore(service.storeId).write(async (db) => {
    await db.deleteFrom('disputeDecisions').where('disputeId', 'in', [reopened, gone]).execute();
    await db
      .updateTable('disputes')
      .set({ status: 'open', resolution: null })
      .where('id', '=', reopened)
      .execute();
    await db.deleteFrom('disputes').where('id', '=', gone).execute();
  });

  const again = await machine.run([...args, '--confirm', '1']);

  expect(again.exitCode).toBe(5);
  expect(JSON.parse(again.stdout)).toMatchObject([
    { disputeId: reopened, outcome: 'applied' },
    { disputeId: gone, outcome: 'failed' },
    { disputeId: kept, outcome: 'exists' },
  ]);
  const { decisions } = await tables(service);
  expect(decisions.filter(({ disputeId }) => disputeId === reopened)).toHaveLength(1);
});

test('a dispute that is decided between the plan and its turn is left alone', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [first = '', second = ''] = await other.openDisputes(2);
  writeFiles(machine, { 'decisions.csv': `${header}\n${first},won,ok\n${second},won,ok\n` });
  // While the first one is decided, somebody else decides the second.
  proxy.decide(({ method, path: where }) =>
    method === 'POST' && where.includes(first) ? { waitFor: other.decide(second, 'lost', 'no') } : 'pass',
  );

  const result = await machine.run(typed`disputes decide --from decisions.csv --confirm 2 --json`);

  expect(result.exitCode).toBe(6);
  expect(JSON.parse(result.stdout)).toMatchObject([{ outcome: 'applied' }, { outcome: 'failed' }]);
  expect(proxy.writes()).toHaveLength(1);
  const { decisions } = await tables(service);
  expect(decisions.filter(({ disputeId }) => disputeId === second)).toMatchObject([{ status: 'lost' }]);
});
