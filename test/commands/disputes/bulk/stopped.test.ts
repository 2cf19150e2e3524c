import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';

test('a cancelled run ends between two decisions, and says what is done and where the rows that failed are', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(3);
  writeFiles(machine, {
    'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`), 'no-id,won,ok'].join('\n'),
  });
  const controller = new AbortController();
  proxy.decide(({ method }) => {
    if (method === 'POST') controller.abort();
    return 'pass';
  });

  const args = typed`disputes decide --from decisions.csv --confirm 3 --output-file out.json`;
  const result = await machine.run(args, { signal: controller.signal });

  expect(result).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('cancelled (1 decided, 1 failed, 2 not sent)\n'),
  });
  expect(result.stderr).toMatch(
    /^ {2}run the same command again to continue\n.*\n {2}the rows that failed so far are in out\.failed\.csv$/m,
  );
  expect(readFileSync(path.join(machine.folder, 'out.failed.csv'), 'utf8')).toContain('no-id,won,ok\n');
  // The error counts the rows that are left.
  expect(result.stdout).toMatch(/^decided +line 2 .*\nfailed +line 5 .*\n$/);
  expect((await tables(service)).decisions).toHaveLength(2);
});

test('a history that fails midway ends the run, which says what is done', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(3);
  writeFiles(machine, { 'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`)].join('\n') });
  const history = path.join(machine.stateDirectory, 'history');
  proxy.decide(({ method }) => {
    if (method !== 'POST') return 'pass';
    rmSync(history, { recursive: true });
    writeFileSync(history, '');
    return 'pass';
  });

  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '3']);

  expect(result.exitCode).toBe(11);
  expect(result.stderr).toMatch(/stopped \(1 decided, 2 not sent\): /);
  expect(result.stderr).toContain('run the same command again to continue');
});
