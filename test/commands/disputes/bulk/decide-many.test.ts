import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { gate } from '../../../helpers/gate.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

test('of 200 decisions with 4 bad rows and a repeated one, 195 are recorded, and the results say which are not', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(197);
  await other.decide(ids[195] ?? '', 'lost', 'decided by somebody else');
  const rows = ids.slice(0, 196).map((id, index) => `${id},won,Delivered ${index}`);
  rows.splice(10, 0, `${nobody},won,Not there`);
  rows.splice(50, 0, `${ids[196]},,No status`);
  rows.splice(90, 0, 'only one cell');
  rows.splice(120, 0, `${ids[0]},won,Delivered 0`);
  writeFiles(machine, { 'decisions.csv': [header, ...rows].join('\n') });

  const result = await machine.run(typed`disputes decide --from decisions.csv --confirm 195 --json`);

  expect(result.exitCode).toBe(6);
  expect((await tables(service)).decisions.filter(({ status }) => status === 'won')).toHaveLength(195 + 1);
  const results = JSON.parse(result.stdout);
  expect(results).toHaveLength(200);
  expect(results.filter(({ outcome }: { outcome: string }) => outcome !== 'applied')).toMatchObject([
    { line: 12, outcome: 'failed', code: 'not_found', message: 'not found in this store' },
    { line: 52, outcome: 'failed', message: 'status is empty' },
    { line: 92, outcome: 'failed', message: 'expected 3 columns, found 1' },
    { line: 122, outcome: 'skipped', code: 'repeated', message: 'repeats line 2' },
    {
      line: 201,
      outcome: 'failed',
      code: 'unexpected_status',
      status: 'won',
      message: 'already decided as lost, which is final',
    },
  ]);
  expect(result.stderr).toContain(
    '"message":"195 decided, 4 failed, 1 skipped because another row says the same"',
  );
}, 120_000);

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

test('a row that repeats another is skipped: it is no failure, and the progress bar does not count it', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [id] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,ok\n${id}, WON ,ok\n` });

  const args = ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1'];
  const result = await machine.run(args, { isTerminal: true });

  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^decided .*\nskipped +line 3 .* repeats line 2\s*$/m),
    stderr: expect.stringContaining(' Decided 1 dispute, 1 skipped because another row says the same\n'),
  });
  expect(result.stderr).toMatch(/ 1\/1 disputes(?! read)/);
  expect(result.stderr).not.toContain('/2 disputes');
  expect(proxy.writes()).toHaveLength(1);
});

test('rows that cannot be decided come first in the plan, with their whole id', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${nobody},won,ok\n${id},won,ok\n` });

  const plan = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run']);
  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv']);

  expect(plan.stdout).toMatch(
    new RegExp(`^line 2  ${nobody}  won\\n  not found in this store\\n\\nLINE .*\\n3 +${id} +won +ok\\n$`),
  );
  expect(result.stderr).toContain(
    '--confirm 1 is required (to record 1 decision; decisions are final; --dry-run shows them)',
  );
});

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

test('a row of --output-file holds before, decision, after, who and when, also when it was decided earlier, and not the key', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,"Signed, ""for"" by\nthe buyer"\n` });

  const decide = typed`disputes decide --from decisions.csv --confirm 1 --output-file out.json`;
  const file = path.join(machine.folder, 'out.json');
  const rowOf = () => JSON.parse(readFileSync(file, 'utf8'))[0];

  const result = await machine.run(decide);

  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
  const resolution = 'Signed, "for" by\nthe buyer';
  const line = rowOf();
  const history = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(line).toMatchObject({
    outcome: 'applied',
    line: 2,
    disputeId: id,
    status: 'won',
    resolution,
    replacedStatus: 'open',
    request: { status: 'won', resolution },
    response: { id, status: 'won', resolution },
    profile: expect.any(String),
    storeId: service.storeId,
    requestId: expect.stringMatching(/./),
    operationId: history[0].id,
  });
  expect(readFileSync(file, 'utf8')).not.toContain(service.apiKey);
  const again = await machine.run(decide);
  expect(again).toMatchObject({ exitCode: 0, stdout: '' });
  expect(again.stderr).toMatch(/^main → store .*\n1 already decided with this status and resolution\.\n$/);
  expect(proxy.writes()).toHaveLength(1);
  expect(rowOf()).toEqual({ ...line, outcome: 'exists', message: 'decided by an earlier run' });
  expect(new Date(line.at).toISOString()).toBe(line.at);
});

test('nothing is decided before the number is confirmed, and exit 3 names it', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(2);
  writeFiles(machine, { 'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`)].join('\r\n') });
  const from = ['disputes', 'decide', '--from', 'decisions.csv'];

  const unconfirmed = await machine.run(from);

  expect(unconfirmed).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('--confirm 2') });
  expect((await machine.run([...from, '--confirm', '3'])).exitCode).toBe(2);
  expect(proxy.writes()).toEqual([]);
  expect((await tables(service)).decisions).toHaveLength(1);
});

test('--dry-run prints the plan and writes nothing', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [open, decided] = await other.openDisputes(2);
  await other.decide(decided ?? '', 'won', 'ok');
  writeFiles(machine, { 'decisions.csv': `${header}\n${open},won,ok\n${decided},won,ok\n` });

  const shown = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run']);
  const one = ['disputes', 'decide', String(open), '--status', 'won', '--resolution', 'ok', '--dry-run'];
  const alone = await machine.run(one);
  const json = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run', '--json']);

  expect(shown).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(String(open)),
    stderr: expect.stringContaining(
      '1 dispute to decide (won), 1 already decided with this status and resolution\n',
    ),
  });
  const note =
    /dry run: nothing was sent\nWithout --dry-run, each dispute is read .* decided only if it is open\.\n$/;
  expect([shown.stderr, alone.stderr]).toEqual([expect.stringMatching(note), expect.stringMatching(note)]);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { plan: 'decide', status: 'won', resolution: 'ok' },
    { plan: 'exists', status: 'won', resolution: 'ok' },
  ]);
  expect(proxy.writes()).toEqual([]);
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
  expect(first.stderr).toContain('"hint":"run the same command again; no dispute is decided twice"');
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

test('a status that is nearly a usual one is refused, another is sent: in a file and alone', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [first = '', second = '', third = ''] = await other.openDisputes(3);
  const text = `${header}\n${first},Won,ok\n${second},banana,ok\n${third},withdrwan,ok\n`;
  writeFiles(machine, { 'decisions.csv': text });
  const args = ['disputes', 'decide', '--from', 'decisions.csv'];
  const alone = (status: string) =>
    machine.run(['disputes', 'decide', third, '--status', status, '--resolution', 'ok', '--confirm', third]);

  expect(JSON.parse((await machine.run([...args, '--dry-run', '--json'])).stdout)).toMatchObject([
    { plan: 'decide', status: 'won' },
    { plan: 'decide', status: 'banana' },
    { plan: 'failed', message: '"withdrwan" looks mistyped (did you mean withdrawn?)' },
  ]);
  expect(await alone('withdrwan')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--status looks mistyped (did you mean withdrawn?)'),
  });
  expect(proxy.writes()).toEqual([]);

  const sent = await machine.run([...args, '--confirm', '2']);
  expect(sent.exitCode).toBe(7);
  expect(sent.stderr).toMatch(/\(1 won, 1 banana\), 1 cannot be decided\nWarning: line 3: banana is not /);
  const warned = expect.stringContaining('Warning: banana is not a usual status (won, lost, withdrawn); ');
  expect(await alone('banana')).toMatchObject({ exitCode: 7, stderr: warned });
  expect(await alone('LOST')).toMatchObject({ exitCode: 0 });
  expect(proxy.writes().map(({ body }) => JSON.parse(body).status)).toEqual([
    ...['won', 'banana'],
    ...['banana', 'lost'],
  ]);
});

test('a refusal of several lines is one line among the results', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [first] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${first},won,ok\n` });
  const errors = [{ path: 'resolution', message: 'is too short' }];
  const body = JSON.stringify({ code: 'validation_failed', message: 'Not valid.', errors });
  const headers = { 'content-type': 'application/problem+json' };
  proxy.decide(({ method }) => (method === 'POST' ? { status: 422, headers, body } : 'pass'));

  const sent = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);
  expect(sent.exitCode).toBe(7);
  expect(sent.stdout).toMatch(/^failed .* resolution: is too short \(422 validation_failed\)\n$/);
  expect(sent.stdout).not.toContain('\\u000a');
});

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

test('rows that could not be decided come last, where a person looks', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(3);
  const rows = [`${nobody},won,ok`, ...ids.map((id) => `${id},won,ok`), `${ids[0]},won,ok`];
  writeFiles(machine, { 'decisions.csv': [header, ...rows].join('\n') });

  const { stdout } = await machine.run(typed`disputes decide --from decisions.csv --confirm 3`);

  expect(stdout).toMatch(
    /^(decided +line \d .*\n){3}failed +line 2 .* not found in this store\nskipped +line 6 .* repeats line 3\n$/,
  );
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
    stderr: expect.stringContaining('stopped (1 decided, 1 failed, 2 not sent): cancelled\n'),
  });
  expect(result.stderr).toMatch(
    /^ {2}run the same command again to continue; .*; the rows that failed so far are in out\.failed\.csv$/m,
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
    'decisions.csv: 3 columns are not clear:\n  no column disputeId, providerCaseId or orderId\n  no column status\n  no column resolution\n',
  ],
  [
    'disputeId,status\n1,won',
    'decisions.csv: no column resolution\n  say which column it is: --column resolution="TITLE"; the columns are disputeId, status\n',
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
])('%s are told by their line, and nothing is sent', async (_, rows, shown) => {
  const { server, machine } = await setScene({ answers: [] });
  writeFiles(machine, {
    'decisions.csv': `\ufeff${header.replaceAll(',', ';')}\n${rows.replaceAll(',', ';')}`,
  });

  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv']);

  expect(result).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(shown) });
  expect(server.requests).toEqual([]);
});

test('--fields chooses from the results, and --output-file holds all of them', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,ok\nx,,\n` });
  const args = typed`disputes decide --from decisions.csv --confirm 1 --output-file out.json`;

  const result = await machine.run([...args, '--fields', 'line,outcome']);

  expect(JSON.parse(result.stdout)).toEqual([
    { line: 2, outcome: 'applied' },
    { line: 3, outcome: 'failed' },
  ]);
  const written = JSON.parse(readFileSync(path.join(machine.folder, 'out.json'), 'utf8'));
  expect(written).toMatchObject([{ disputeId: id, outcome: 'applied' }, { outcome: 'failed' }]);
});

test('several ids without a terminal: exit 3, nothing is sent', async () => {
  const { proxy, machine } = await setScene();

  const result = await machine.run(typed`disputes decide first-dispute-1 second-dispute-2 --json`);

  expect(result).toMatchObject({ exitCode: 3, stdout: '' });
  const { error } = JSON.parse(result.stderr.trim());
  expect(error.message).toBe('--from FILE is required (CSV with status and resolution for each disputeId)');
  expect(error.hint).toContain('or run the command in a terminal');
  expect(proxy.requests).toEqual([]);
});

test('the rows that failed are a file of their own beside --output-file, which can be fixed and used', async () => {
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
    'correct or remove the rows that failed; run the same command again; no dispute is decided twice',
  );
  expect(plain.stderr).toMatch(/^1 dispute to decide \(won\), 2 cannot be decided$/m);
  expect(result.exitCode).toBe(5);
  expect(result.stderr).toContain(
    '  correct or remove these rows in decisions.csv; out.failed.csv has them and the reasons; run the same command again; no',
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
