import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

test.each([
  ['a header alone', `${header}\n`],
  ['nothing', ''],
  ['empty lines', '\n \n\n'],
])('a file that holds %s is exit 2, and nothing is read', async (_name, text) => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, { 'decisions.csv': text });
  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);
  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no decisions in decisions.csv'),
  });
  expect(proxy.requests).toEqual([]);
});

test('a file from standard input, with columns that are not sent', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  const stdin = `${header},note\n${id},won,ok,x\n${id.slice(0, -1)},won,ok,y\n`;

  const args = ['disputes', 'decide', '--from', '-', '--confirm', '1', '--json'];
  const result = await machine.run(args, { stdin });

  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('`storectl disputes list -q`'),
  });
  expect(JSON.parse(result.stdout)).toMatchObject([
    { outcome: 'applied', disputeId: id },
    { outcome: 'failed', line: 3, message: expect.stringContaining('not a whole id') },
  ]);
  expect((await tables(service)).decisions.filter(({ disputeId }) => disputeId === id)).toHaveLength(1);
});

test('columns may be named in any capitals, and the blanks around a resolution are not part of it', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  writeFiles(machine, {
    'decisions.csv': `Dispute ID, STATUS, Resolution\n${id},won,  the buyer signed  \n`,
  });

  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);

  expect(result).toMatchObject({ exitCode: 0 });
  const shown = await machine.run(['disputes', 'show', id, '--json']);
  expect(JSON.parse(shown.stdout).record).toMatchObject({ status: 'won', resolution: 'the buyer signed' });
});

test.each([
  [
    'id,name\n1,won',
    'decisions.csv: 3 columns are missing:\n  no column disputeId, providerCaseId or orderId\n  no column status\n  no column resolution\n',
  ],
  [
    'disputeId,status\n1,won',
    'decisions.csv: no column resolution\n  say which column it is: `--column resolution="TITLE"`\n  or add `--resolution TEXT` for all rows\n  the columns are disputeId, status\n',
  ],
  [
    `${header},STATUS\n1,won,ok,lost`,
    '"status" (#2) or "STATUS" (#4) could be the column status\n  add --column status="status" or --column status="STATUS"',
  ],
  [`${header},status\n1,won,ok,lost`, 'add --column status=#2 or --column status=#4'],
  [
    'id,Status,Dispute Status,Dispute ID,Resolution\nch_1,Refunded,lost,1,r',
    '"Status" (#2) or "Dispute Status" (#3) could be the column status',
  ],
  [`${header}\n1,won,"open`, 'line 2: the quotes do not match'],
])('a file that cannot be used as a whole is refused before any request: %j', async (text, problem) => {
  const { server, machine } = await setScene({ answers: [] });
  writeFiles(machine, { 'decisions.csv': text });

  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(server.requests).toEqual([]);
});

test.each([
  [
    'rows that contradict each other',
    `${nobody},won,ok\n${nobody},lost,ok`,
    /line 3 has a different decision for this dispute[\s\S]*line 2 has/,
  ],
  [
    'rows that contradict each other, and write the id in other letters',
    'ab000000-0000-4000-8000-000000000000,won,ok\nAB000000-0000-4000-8000-000000000000,lost,ok',
    /line 3 has a different decision for this dispute[\s\S]*line 2 has/,
  ],
  ['an id that could change the path', '../x,won,ok', /disputeId is not a whole id/],
  [
    'text with separators outside of quotes',
    '1,won,a,b',
    /expected 3 columns, found 4: put text that contains the separator in double quotes/,
  ],
])('%s are errors with the number of the line, and nothing is sent', async (_, rows, shown) => {
  const { server, machine } = await setScene({ answers: [] });
  writeFiles(machine, {
    'decisions.csv': `\ufeff${header.replaceAll(',', ';')}\n${rows.replaceAll(',', ';')}`,
  });

  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv']);

  expect(result).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(shown) });
  expect(server.requests).toEqual([]);
});
