import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDispute } from '../../../../src/contract/operations/disputes.ts';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { answer, type Behaviour } from '../../../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../../../helpers/scene.ts';
import type { TestService } from '../../../helpers/service.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

/** A function that opens a dispute with some details and returns its id. */
function disputeOpener(service: TestService) {
  const other = otherUser(service);
  let opened = 0;
  return async (details: object): Promise<string> => {
    opened += 1;
    const body = { kind: 'payment', reason: 'Not received', idempotencyKey: `case-${opened}`, ...details };
    return (await other.call(openDispute, body)).id;
  };
}

describe('files of spreadsheets', () => {
  test.each<[string, (id: string) => string | Buffer]>([
    ['rows without any value, wherever they are', (id) => `,,\n \n${header}\n,,\n${id},won,ok\n , ,\n,,\n`],
    ['sep=;', (id) => `sep=;\r\n${header.replaceAll(',', ';')}\r\n${id};won;ok\r\n`],
    [
      'sep= with a separator that nobody guesses',
      (id) => `sep=~\n${header.replaceAll(',', '~')}\n${id}~won~ok\n`,
    ],
    [
      'a title with another separator',
      (id) => `"Amount, EUR";${header.replaceAll(',', ';')}\n"1,5";${id};won;ok\n`,
    ],
    [
      'more commas than columns',
      (id) => `Notes, if any, or not\tDispute ID\tStatus\tResolution\nx\t${id}\twon\tok\n`,
    ],
    ['bars', (id) => `${header.replaceAll(',', '|')}\n${id}|won|ok\n`],
    ['a blank before a quote', (id) => `${header}\n${id}, "won" , "ok"\n`],
    [
      'UTF-16 with a mark',
      (id) => Buffer.from(`\ufeff${header.replaceAll(',', '\t')}\r\n${id}\twon\tok\r\n`, 'utf16le'),
    ],
    [
      'UTF-16, the other order of bytes',
      (id) => Buffer.from(`\ufeff${header}\n${id},won,ok\n`, 'utf16le').swap16(),
    ],
  ])('%s', async (_, fileOf) => {
    const { service, machine } = await setScene();
    const open = disputeOpener(service);
    const id = await open({});
    writeFileSync(path.join(machine.folder, 'd.csv'), fileOf(id));

    const result = await machine.run(typed`disputes decide --from d.csv --confirm 1`);

    expect(result).toMatchObject({ exitCode: 0 });
    expect((await tables(service)).decisions).toContainEqual({
      disputeId: id,
      status: 'won',
      resolution: 'ok',
    });
  });

  test.each([
    [
      'd.xlsx',
      [0x50, 0x4b, 3, 4, 20, 0],
      'd.xlsx (--from) is a workbook or an archive, not text\n  save the sheet as CSV UTF-8',
    ],
    ['d.xls', [0xd0, 0xcf, 0x11, 0xe0], 'is a workbook or an archive'],
    [
      'd.csv',
      [...Buffer.from(header), 10, 0xfc, 44],
      'd.csv (--from) is not UTF-8 text\n  save it as CSV UTF-8',
    ],
  ])('%s is not text, and the error says how to save it', async (name, bytes, message) => {
    const { machine } = await setScene({ answers: [] });
    writeFileSync(path.join(machine.folder, name), Buffer.from(bytes));

    expect(await machine.run(typed`disputes decide --from ${name} --dry-run`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe('--column', () => {
  const stripe = (id: string) =>
    `id,Status,Dispute Status,Dispute Reason,Dispute ID,Note\nch_1,Refunded,lost,fraudulent,${id},Not contested\n`;

  test.each([
    ['by titles', ['status=Dispute Status', 'resolution=Note']],
    ['by numbers', ['status=#3', 'resolution=#6', 'disputeId=#5']],
    ['in other letters', ['STATUS=dispute_status', 'Resolution=note']],
  ])('names columns %s', async (_, columns) => {
    const { service, machine } = await setScene();
    const open = disputeOpener(service);
    const id = await open({});
    writeFiles(machine, { 'd.csv': stripe(id) });

    const args = columns.flatMap((column) => ['--column', column]);
    const result = await machine.run([...typed`disputes decide --from d.csv --confirm 1`, ...args]);

    expect(result).toMatchObject({ exitCode: 0 });
    expect((await tables(service)).decisions).toContainEqual({
      disputeId: id,
      status: 'lost',
      resolution: 'Not contested',
    });
  });

  test('one column of several with the same name may be the one without it', async () => {
    const { service, machine } = await setScene();
    const open = disputeOpener(service);
    writeFiles(machine, { 'd.csv': `${stripe(await open({}))}`.replace('Note', 'Resolution') });

    const both = await machine.run(typed`disputes decide --from d.csv --dry-run`);
    const one = await machine.run([
      'disputes',
      'decide',
      '--from',
      'd.csv',
      '--column',
      'status=Status',
      '--dry-run',
    ]);

    expect(both).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'd.csv: "Status" (#2) or "Dispute Status" (#3) could be the column status\n' +
          '  add --column status="Status" or --column status="Dispute Status"',
      ),
    });
    expect(one.stdout).toContain('Refunded');
  });

  test.each([
    ['status', '--column must be NAME=TITLE (got "status")'],
    ['status=', '--column must be NAME=TITLE (got "status=")'],
    ['statsu=#1', '--column knows no column statsu (did you mean status?)'],
    ['amount=#1', 'use one of disputeId, providerCaseId, orderId, status, resolution'],
    ['status=#9', 'there are 6 columns, so there is no #9'],
    ['status=Outcome', 'no column is called "Outcome"'],
  ])('%s is refused', async (column, message) => {
    const { server, machine } = await setScene({ answers: [] });
    writeFiles(machine, { 'd.csv': stripe(nobody) });

    const result = await machine.run(['disputes', 'decide', '--from', 'd.csv', '--column', column]);

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(server.requests).toEqual([]);
  });

  test('is for files only', async () => {
    const { machine } = await setScene({ answers: [] });

    expect(
      await machine.run(typed`disputes decide ${nobody} --status won --resolution r --column status=#1`),
    ).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--column'),
    });
  });
});

describe('case numbers in place of ids', () => {
  test('are looked up before anything is sent; the plan shows id, buyer and reason', async () => {
    const { service, machine } = await setScene();
    const open = disputeOpener(service);
    const orderId = '0a1b2c3d-0000-4000-8000-00000000000a';
    const byCase = await open({ providerCaseId: 'dp_1', buyerEmail: 'ana@shop.example', reason: 'Fraud' });
    const byOrder = await open({ orderId, buyerEmail: 'bo@shop.example' });
    const byId = await open({ providerCaseId: 'dp_3' });
    writeFiles(machine, {
      'd.csv': [
        'Case,Order ID,Dispute ID,Status,Resolution',
        'dp_1,,,won,Delivered',
        `,${orderId.toUpperCase()},,lost,Refunded`,
        // The id wins over numbers, whatever they are.
        `dp_1,${orderId},${byId},won,Signed`,
      ].join('\n'),
    });
    const decide = typed`disputes decide --from d.csv --column providerCaseId=Case`;

    const plan = await machine.run([...decide, '--dry-run']);
    const narrow = await machine.run([...decide, '--dry-run'], { columns: 50 });
    const planned = JSON.parse((await machine.run([...decide, '--dry-run', '--json'])).stdout);
    const result = await machine.run([...decide, '--confirm', '3', '--json']);

    expect(plan.stdout).toContain(
      `2     ${byCase}  won     Delivered\n      dp_1  ana@shop.example  Fraud\n`,
    );
    expect(plan.stdout).toContain(
      `3     ${byOrder}  lost    Refunded\n      ${orderId.toUpperCase()}  bo@shop.example`,
    );
    expect(narrow.stdout).toContain(
      `2     ${byCase}  won\n      Delivered\n      dp_1  ana@shop.example  Fraud\n`,
    );
    expect(planned).toMatchObject([
      { disputeId: byCase, providerCaseId: 'dp_1', plan: 'decide' },
      { disputeId: byOrder, plan: 'decide' },
      { disputeId: byId, plan: 'decide' },
    ]);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(result.stdout)[0]).toMatchObject({
      disputeId: byCase,
      providerCaseId: 'dp_1',
      outcome: 'applied',
    });
    expect((await tables(service)).decisions).toEqual(
      expect.arrayContaining([
        { disputeId: byCase, status: 'won', resolution: 'Delivered' },
        { disputeId: byOrder, status: 'lost', resolution: 'Refunded' },
        { disputeId: byId, status: 'won', resolution: 'Signed' },
      ]),
    );
  });

  test('no match, several matches, and different decisions for one dispute are errors of the row', async () => {
    const { service, proxy, machine } = await setScene();
    const open = disputeOpener(service);
    const sameCase = [await open({ providerCaseId: 'dp_2' }), await open({ providerCaseId: 'dp_2' })];
    const id = await open({ providerCaseId: 'dp_3' });
    writeFiles(machine, {
      'd.csv': [
        'providerCaseId,disputeId,status,resolution',
        'dp_0,,won,ok',
        'dp_2,,won,ok',
        'dp_3,,won,ok',
        `,${id},lost,no`,
        '1.23E+15,,won,ok',
      ].join('\n'),
    });

    const result = await machine.run(typed`disputes decide --from d.csv --confirm 0 --json`);

    expect(result.exitCode).toBe(2);
    const messages = JSON.parse(result.stdout).map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      'no dispute has this providerCaseId',
      expect.stringMatching(/^several disputes have this providerCaseId: /),
      'line 5 has a different decision for this dispute',
      'line 4 has a different decision for this dispute',
      'providerCaseId was rounded by a spreadsheet (1.23E+15): format the column as text',
    ]);
    for (const one of sameCase) expect(messages[1]).toContain(one);
    expect(proxy.writes()).toEqual([]);
  });

  const item = { id: '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4', status: 'open', providerCaseId: 'dp_1' };
  const others = { ...item, id: nobody, providerCaseId: 'dp_9' };
  const withReads = { 'service-features': 'reads' };
  test.each<[string, Behaviour, number, string]>([
    [
      'does not know the list',
      answer(404, { error: 'no route' }),
      7,
      'this service cannot find disputes by providerCaseId',
    ],
    [
      'answers with something else',
      answer(200, { hello: 1 }),
      7,
      'this service cannot find disputes by providerCaseId',
    ],
    [
      'answers with a page',
      answer(200, '<html></html>', { 'content-type': 'text/html' }),
      7,
      'this service cannot find',
    ],
    [
      'ignores the filter',
      answer(200, { items: [item, others], next: 'x' }),
      7,
      'does not find them by providerCaseId',
    ],
    ['refuses the key', answer(403, { title: 'no' }, withReads), 4, '403'],
  ])('of a service that %s are an error before anything is sent', async (_, response, exitCode, message) => {
    const { server, machine } = await setScene({ answers: [response], hasReads: true });
    writeFiles(machine, { 'd.csv': 'providerCaseId,status,resolution\ndp_1,won,ok\n' });

    const result = await machine.run(typed`disputes decide --from d.csv --confirm 1`);

    expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('of a service that ignores the filter are found if the list is whole', async () => {
    const record = { ...item, storeId: scriptedStore.storeId };
    const { server, machine } = await setScene({
      answers: [answer(200, { items: [others, item] }), answer(200, { record, evidence: [] })],
      hasReads: true,
    });
    writeFiles(machine, { 'd.csv': 'providerCaseId,status,resolution\ndp_1,won,ok\n' });

    const result = await machine.run(typed`disputes decide --from d.csv --dry-run --json`);

    expect(JSON.parse(result.stdout)).toMatchObject([{ disputeId: item.id, plan: 'decide' }]);
    expect(server.requests[0]?.path).toContain('providerCaseId=dp_1');
  });
});

describe('an export without resolutions', () => {
  test('takes one for all rows that have none; a row is called as the file calls it', async () => {
    const { service, machine } = await setScene();
    const open = disputeOpener(service);
    const [first, second] = [await open({ providerCaseId: 'dp_1' }), await open({ providerCaseId: 'dp_2' })];
    await open({ providerCaseId: 'dp_3' });
    writeFiles(machine, {
      'd.csv': 'id,Reason,Status,Note\ndp_1,fraudulent,lost,\ndp_2,duplicate,won,Refunded\ndp_3,general,,\n',
    });
    const decide = typed`disputes decide --from d.csv --column providerCaseId=id`;

    const without = await machine.run([...decide, '--dry-run']);
    const all = await machine.run([...decide, '--resolution', 'Decided by the bank', '--dry-run']);
    const given = ['--column', 'resolution=Note', '--resolution', 'Decided by the bank', '--confirm', '2'];
    const result = await machine.run([...decide, ...given]);

    expect(without).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('or add `--resolution TEXT` for all rows'),
    });
    expect(all.stdout).toContain('line 4  dp_3\n  status is empty\n');
    expect(all.stdout.match(/Decided by the bank/g)).toHaveLength(2);
    expect(result.stdout).toContain('decided   line 2  dp_1  lost\n');
    expect((await tables(service)).decisions).toEqual(
      expect.arrayContaining([
        { disputeId: first, status: 'lost', resolution: 'Decided by the bank' },
        { disputeId: second, status: 'won', resolution: 'Refunded' },
      ]),
    );
  });

  test('never takes one status for all rows', async () => {
    const { server, machine } = await setScene({ answers: [] });
    writeFiles(machine, { 'd.csv': `disputeId,Note\n${nobody},ok\n` });

    const result = await machine.run(typed`disputes decide --from d.csv --status lost --resolution r`);

    expect(result).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--status cannot be used with --from'),
    });
    expect(server.requests).toEqual([]);
  });

  test('and the resolution cannot both come from standard input', async () => {
    const { machine } = await setScene({ answers: [] });

    const result = await machine.run(typed`disputes decide --from - --resolution-file -`, {
      stdin: 'disputeId,status\n',
    });

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('standard input') });
  });
});

test('a case number in place of an id is told the list that finds it', async () => {
  const { machine } = await setScene({ answers: [] });

  const number = await machine.run(typed`disputes show PP-D-118301`);
  const id = await machine.run(typed`disputes show 01985f2e-7b90`);

  expect(number.stderr).toContain(
    '`storectl disputes list --provider-case-id PP-D-118301` if it is the case number of a payment provider',
  );
  expect(id.stderr).not.toContain('--provider-case-id');
});

test('rows that failed keep the titles of their file, and its own column "reason"', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'd.csv': `reason;Dispute ID;Status;Resolution\nFraud;${nobody};won;"a; b"\n` });

  await machine.run(typed`disputes decide --from d.csv --confirm 1 --output-file out.json`);

  expect(readFileSync(path.join(machine.folder, 'out.failed.csv'), 'utf8')).toBe(
    `line,reason,reason,Dispute ID,Status,Resolution\n2,not found in this store,Fraud,${nobody},won,"a; b"\n`,
  );
});

test('ids as a terminal shows them are no case numbers', async () => {
  const { machine } = await setScene({ answers: [] });
  writeFiles(machine, { 'd.csv': 'disputeId,status,resolution\n01985f2e…,won,ok' });

  const { exitCode, stderr } = await machine.run(typed`disputes decide --from d.csv`);

  expect(exitCode).toBe(2);
  expect(stderr).toContain('`storectl disputes list -q` to see whole ids');
  expect(stderr).not.toContain('providerCaseId');
});

test('a file without ids is told of each column that could say which dispute it is', async () => {
  const { machine } = await setScene({ answers: [] });
  writeFiles(machine, { 'd.csv': 'dispute,status,resolution\nPP-1,won,ok' });

  const { stderr } = await machine.run(typed`disputes decide --from d.csv`);

  expect(stderr).toContain(
    'say which column it is: `--column disputeId="TITLE"` (`providerCaseId` for case numbers of the payment provider, `orderId` for order ids)',
  );
});

test('a file with every row wrong says each thing once', async () => {
  const { server, machine } = await setScene({ answers: [] });
  const rows = Array.from({ length: 40 }, (_, index) => `dp_${index},won,ok`);
  writeFiles(machine, { 'd.csv': ['Dispute ID,Status,Resolution', ...rows].join('\n') });

  const { exitCode, stdout, stderr } = await machine.run(typed`disputes decide --from d.csv`);

  expect(exitCode).toBe(2);
  expect(stdout).toBe(
    'failed    40 disputes: line 2, line 3, line 4 and 37 more  disputeId is not a whole id\n',
  );
  expect(stderr.match(/whole id/g)).toHaveLength(1);
  expect(stderr).toContain(
    'for case numbers of a payment provider, add --column providerCaseId="Dispute ID"',
  );
  expect(server.requests).toEqual([]);
});
