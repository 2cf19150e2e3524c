import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { otherUser, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

test('the rows that failed are in a second file beside --output-file, which can be fixed and used', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [first, second] = await other.openDisputes(2);
  writeFiles(machine, {
    'decisions.csv': `${header},note\n${first},won,ok,\n${second},wom,"so, ""it"" was",\n${nobody},won,ok,x\n`,
  });
  const decide = ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1'];
  const file = path.join(machine.folder, 'out.failed.csv');

  const plain = await machine.run([...decide.slice(0, -1), '1']);
  const result = await machine.run([...decide, '--output-file', 'out.json']);

  expect(plain.stderr).toContain(
    'correct or remove the rows that failed\n  run the same command again: no dispute is decided twice',
  );
  expect(plain.stderr).toMatch(/^1 dispute to decide \(won\), 2 cannot be decided$/m);
  expect(result.exitCode).toBe(5);
  expect(result.stderr).toContain(
    '  correct or remove these rows in decisions.csv\n  out.failed.csv has these rows, each with its reason\n  run the same command again: no',
  );
  expect(readFileSync(file, 'utf8').split('\n')).toEqual([
    `line,reason,${header},note`,
    `3,"""wom"" looks mistyped (did you mean won?)",${second},wom,"so, ""it"" was",`,
    `4,not found in this store,${nobody},won,ok,x`,
    '',
  ]);
  // It still has the line number in the first file.
  await machine.run(typed`disputes decide --from out.failed.csv --confirm 0 --output-file more.json`);
  expect(readFileSync(path.join(machine.folder, 'more.failed.csv'), 'utf8')).toBe(readFileSync(file, 'utf8'));
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n').replaceAll('wom', 'won'));
  const again = await machine.run([...decide, '--output-file', 'out.json']);
  expect(again.stderr).toContain('the earlier out.failed.csv is now out.failed.csv~');
  const fixed = await machine.run(['disputes', 'decide', '--from', 'out.failed.csv~', '--confirm', '1']);
  expect(fixed).toMatchObject({ exitCode: 0 });
});

test('a row with too many columns keeps its text in the file of rows that failed: sent again unfixed, it fails again', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [id] = await other.openDisputes(1);
  writeFiles(machine, { 'in.csv': `${header}\n${id},won,Refused, tracking shows delivery\n` });
  await machine.run(typed`disputes decide --from in.csv --confirm 0 --output-file out.json`);

  const failed = readFileSync(path.join(machine.folder, 'out.failed.csv'), 'utf8');
  const again = await machine.run(typed`disputes decide --from out.failed.csv --confirm 1`);

  expect(failed).toContain(`,${id},won,Refused,tracking shows delivery\n`);
  expect(again).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('expected 5 columns, found 6'),
  });
  expect(proxy.writes()).toEqual([]);
});

test('the file that is read is not overwritten by the rows that fail', async () => {
  const { proxy, machine } = await setScene();
  const text = `${header}\n${nobody},won,ok\n`;
  writeFiles(machine, { 'out.failed.csv': text });

  const args = typed`disputes decide --from out.failed.csv --confirm 1 --output-file out.json`;
  const stderr = expect.stringContaining('--output-file another name');
  expect(await machine.run(args)).toMatchObject({ exitCode: 2, stderr });
  expect(readFileSync(path.join(machine.folder, 'out.failed.csv'), 'utf8')).toBe(text);
  expect(proxy.requests).toEqual([]);
});
