import { describe, expect, test, vi } from 'vitest';
import { leavesOf, tree } from '../../../src/cli/program/command-tree.ts';
import { newMachine } from '../../helpers/cli.ts';
import {
  allowAll,
  confirmation,
  decision,
  inputsOf,
  type McpScene,
  setMcpScene,
  toolOf,
  writes,
} from './scene.ts';
import { type McpSession, startMcp } from './session.ts';

/** What only someone at a command line can use. */
const forTerminals = / --?[a-z]|`|\bflag|terminal|\bexit|stdin|standard input/i;

const tools = leavesOf(tree).flatMap(([words, { isTool }]) => (isTool ? toolOf(words) : []));
const reads = tools.filter((tool) => !['undo', 'resume', ...writes.map(toolOf)].includes(tool));
const lists = reads.filter((tool) => tool.endsWith('_list') && tool !== 'history_list');

describe('what a client sees', () => {
  test.each([['legacy'], ['auto']] as const)('only what is allowed (%s)', async (mode) => {
    const { start, service } = await setMcpScene();
    const options = { versionNegotiation: { mode } };
    const names = async ({ client }: McpSession) =>
      (await client.listTools()).tools.map(({ name }) => name).sort();

    expect(await names(await start([], options))).toEqual([...reads].sort());
    const all = await names(await start(allowAll, options));
    expect(all).toEqual(expect.arrayContaining([...reads, 'resume', ...writes.map(toolOf)]));
    const session = await start(['--allow', 'backup.create'], options);
    expect(await names(session)).not.toContain('backup_restore');
    await expect(session.call('backup_restore', { backupId: 'b-1' })).rejects.toThrow('unknown tool');
    expect(session.client.getInstructions()).toContain(`main → store ${service.storeId} @ 127.0.0.1:`);
    expect(session.client.getInstructions()).toContain('may be sent: backup.create');
    expect(session.client.getServerCapabilities()).toEqual({ tools: {} });
  });

  test('the inputs, results and effects of each tool', async () => {
    const { start } = await setMcpScene();
    const { client } = await start(allowAll);

    const { tools } = await client.listTools();

    expect(client.getInstructions()).not.toMatch(forTerminals);

    const find = (name: string) => tools.find((tool) => tool.name === name);
    expect(find('backup_create')).toMatchObject({
      title: 'backup create',
      description: 'Back up sections of the store.',
      inputSchema: {
        properties: { label: { type: 'string', description: 'Label of the backup' } },
        required: ['label', 'sections'],
        additionalProperties: true,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    });
    expect(find('disputes_show')?.outputSchema?.properties).toMatchObject({
      untrusted: { properties: { data: { anyOf: [{ properties: { evidence: {}, record: {} } }, {}] } } },
    });
    expect(find('history_list')?.inputSchema).toMatchObject({
      properties: { limit: { type: 'integer' }, operation: { enum: expect.arrayContaining([...writes]) } },
      required: [],
      additionalProperties: false,
    });
    for (const tool of tools) {
      expect(tool.annotations?.readOnlyHint, tool.name).toBe(reads.includes(tool.name));
      const confirmed = [...Object.keys(confirmation).map(toolOf), 'undo'].includes(tool.name);
      expect('confirm' in (tool.inputSchema.properties ?? {}), tool.name).toBe(confirmed);
      expect(JSON.stringify(tool), tool.name).not.toMatch(forTerminals);
    }
  });

  test('every command whose definition has a tool is marked as one', async () => {
    for (const [, { isTool, load, summary }] of leavesOf(tree))
      expect((await load()).command.tool !== undefined, summary).toBe(isTool);
  });

  test('an operation that does not exist is refused with a similar one, or with all', async () => {
    const result = await newMachine().run(['mcp', '--allow', 'backup.create,dispute.decide']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('unknown operation "dispute.decide" (did you mean disputes.decide?)');
    const other = await newMachine().run(['mcp', '--allow', 'foo']);
    expect(other).toMatchObject({ exitCode: 2, stdout: '' });
    expect(other.stderr).not.toContain('did you mean');
    expect(other.stderr).toContain(`operations: ${writes.join(', ')}`);
  });
});

test('a read, the lists and the history answer', async () => {
  const scene = await setMcpScene();
  const { call } = await scene.start();

  const settings = await call('settings_show');
  expect(settings).toMatchObject({ ok: true, untrusted: { data: { quietHours: { start: '22:00' } } } });
  expect(settings.outcome).toBeUndefined();
  expect((await call('disputes_show', { disputeId: scene.open })).untrusted.data).toMatchObject({
    record: { id: scene.open, status: 'open' },
  });
  expect((await call('disputes_list', { limit: 1, status: 'open' })).untrusted.data).toMatchObject({
    items: [{ id: scene.open, status: 'open' }],
  });
  const { next } = (await call('notify_inbox', { limit: 1 })).untrusted.data as { next: string };
  expect((await call('notify_inbox', { limit: 1, after: next })).untrusted.data).toMatchObject({
    items: [{ id: expect.any(String) }],
  });
  for (const list of lists)
    expect(await call(list), list).toMatchObject({
      ok: true,
      untrusted: { data: { items: expect.any(Array) } },
    });
  expect((await call('history_list', { limit: 5, state: 'applied' })).untrusted.data).toEqual([]);
  expect(scene.proxy.writes()).toEqual([]);
});

test('a failure says what is wrong as data, and what to do in the words of tools', async () => {
  const scene = await setMcpScene();
  const { call } = await scene.start(allowAll);
  const backup = { label: 'a', sections: ['store'] };

  const failures = [
    [
      await call('disputes_show', { disputeId: '5f0cbead-0000-4000-8000-000000000009' }),
      { untrusted: { error: { status: 404, reason: expect.any(String) } } },
    ],
    [await call('disputes_show', { disputeId: '--helpers' }), { error: { code: 'unknown_id' } }],
    [await call('history_show', { id: 'none' }), { error: { code: expect.any(String) } }],
    [
      await call('disputes_show', { disputId: 'x' }),
      {
        error: {
          fields: [
            { field: 'disputId', detail: expect.stringContaining('did you mean disputeId?') },
            { field: 'disputeId', detail: 'is required' },
          ],
        },
      },
    ],
    [
      await call('history_list', { limit: 'many' }),
      { error: { fields: [{ field: 'limit', detail: 'must be a whole number, at least 1 (got "many")' }] } },
    ],
    [await call('history_list', { state: 'gone' }), { error: { fields: [{ field: 'state' }] } }],
    [
      await call('backup_create', { ...backup, labell: 'b' }),
      { outcome: 'not_sent', error: { fields: [{ field: 'labell' }] } },
    ],
    // Not all that are open.
    [
      await call('resume'),
      { outcome: 'not_sent', error: { fields: [{ field: 'id', detail: 'is required' }] } },
    ],
    [
      await call('blog_create', { title: 'Spring' }),
      { outcome: 'not_sent', error: { code: 'input_needed', fields: [{ field: 'contentMd' }] } },
    ],
    [
      await call('backup_create', { label: 5, sections: ['store'] }),
      { outcome: 'not_sent', error: { code: 'invalid_input', fields: [{ field: 'label' }] } },
    ],
    [
      await call('backup_create', { label: 'a', sections: ['nope'] }),
      { outcome: 'rejected', untrusted: { error: { status: 422, fields: [{ field: 'sections.0' }] } } },
    ],
  ] as const;

  for (const [failure, expected] of failures) {
    expect(failure).toMatchObject({ ok: false, next: expect.any(String), ...expected });
    expect(failure.text.replace('--helpers', '')).not.toMatch(forTerminals);
  }
  // A service may know fields that the contract does not name.
  expect(await call('backup_create', { ...backup, retention: 30 })).toMatchObject({ outcome: 'rejected' });
  expect(scene.proxy.writes().at(-1)?.body).toContain('"retention":30');
});

test('before anyone has logged in, the user is sent to do so', async () => {
  const { call } = await startMcp(newMachine(), {});

  expect(await call('settings_show')).toMatchObject({
    ok: false,
    error: { code: 'input_needed' },
    next: expect.stringContaining('log in'),
  });
});

describe('writes', () => {
  test('are applied when they are allowed and confirmed, each with its history id', async () => {
    const scene = await setMcpScene();
    const { call } = await scene.start(allowAll);
    const backup = await call('backup_create', inputsOf(scene)['backup.create']);
    const { id } = backup.untrusted.data as { id: string };

    for (const [operation, inputs] of Object.entries(inputsOf(scene, id))) {
      const confirm = confirmation[operation];
      if (confirm !== undefined) {
        expect(await call(toolOf(operation), inputs), operation).toMatchObject({
          ok: false,
          outcome: 'not_sent',
          error: { code: 'confirmation_needed' },
          untrusted: { question: expect.stringContaining(`Type ${inputs[confirm]} to confirm.`) },
        });
        expect(await call(toolOf(operation), { ...inputs, confirm: 'other' })).toMatchObject({
          ok: false,
          error: { code: 'wrong_confirmation' },
        });
      }
      const done = await call(
        toolOf(operation),
        confirm === undefined ? inputs : { ...inputs, confirm: inputs[confirm] },
      );
      expect(done, `${operation}: ${done.text}`).toMatchObject({ ok: true, outcome: 'applied' });
      expect((await call('history_show', { id: done.historyId })).untrusted.data).toMatchObject({
        operation,
        state: 'applied',
      });
    }
    expect(
      (await call('disputes_decide', { ...inputsOf(scene)['disputes.decide'], confirm: scene.open })).next,
    ).toContain('nothing had to change');
    const { untrusted } = await call('history_list');
    expect(JSON.stringify(untrusted)).not.toContain('tok-en');
  });
});

describe('a lost response', () => {
  test('is unknown, and resume settles it by reading', async () => {
    const { proxy, open, start } = await setMcpScene();
    const { call } = await start(['--allow', 'disputes.decide', '--timeout', '2']);
    let isSent = false;
    proxy.decide(({ method }) => {
      if (isSent) return 'lose';
      isSent = method === 'POST';
      return isSent ? 'drop' : 'pass';
    });

    const lost = await call('disputes_decide', { disputeId: open, ...decision, confirm: open });

    expect(lost).toMatchObject({ ok: false, outcome: 'unknown' });
    expect(lost.next).toContain(
      `Do not call disputes_decide again. Call resume with the id ${lost.historyId}`,
    );
    proxy.decide(() => 'pass');
    const settled = await call('resume', { id: lost.historyId });
    expect(settled).toMatchObject({ ok: true, outcome: 'applied', historyId: lost.historyId });
    expect(settled.text).not.toMatch(/storectl|"exitCode"/);
    expect(proxy.writes()).toHaveLength(1);
  });

  test('is settled only where the operation is allowed', async () => {
    const { proxy, start } = await setMcpScene();
    const allowed = await start(['--allow', 'backup.create', '--timeout', '1']);
    proxy.decide(({ method }) => (method === 'GET' ? 'pass' : 'drop'));
    const lost = await allowed.call('backup_create', { label: 'a', sections: ['store'] });
    expect(lost).toMatchObject({ outcome: 'unknown' });
    const sent = proxy.writes().length;
    proxy.decide(() => 'pass');

    const other = await start(['--allow', 'blog.create']);
    expect(await other.call('resume', { id: lost.historyId })).toMatchObject({
      ok: false,
      outcome: 'not_sent',
      error: { code: 'not_allowed' },
      next: expect.stringContaining('backup.create'),
    });
    expect(proxy.writes()).toHaveLength(sent);
    expect(await allowed.call('resume', { id: lost.historyId })).toMatchObject({
      ok: true,
      outcome: 'applied',
    });
    expect(new Set(proxy.writes().map(({ body }) => body)).size).toBe(1);
  });
});

describe('cancellation', () => {
  const cancelDuring = async (scene: McpScene, method: string, session: McpSession) => {
    const controller = new AbortController();
    let cameToIt: () => void = () => {};
    const came = new Promise<void>((resolve) => {
      cameToIt = resolve;
    });
    scene.proxy.decide((request) => {
      if (request.method !== method) return 'pass';
      cameToIt();
      return { holdUntil: new Promise(() => {}) };
    });
    const inputs = { disputeId: scene.open, ...decision, confirm: scene.open };
    const call = session.call('disputes_decide', inputs, { signal: controller.signal });
    await came;
    controller.abort();
    await expect(call).rejects.toThrow();
    scene.proxy.decide(() => 'pass');
  };

  /** The call itself goes on until its outcome is in the history. */
  const openRecord = async ({ call }: McpSession) => {
    for (;;) {
      const [record] = (await call('history_list', { state: 'unknown' })).untrusted.data as { id: string }[];
      if (record !== undefined) return record.id;
    }
  };

  test('before anything was sent sends nothing', async () => {
    const scene = await setMcpScene();
    const session = await scene.start(allowAll);

    await cancelDuring(scene, 'GET', session);

    expect(await session.end()).toBe(0);
    expect(scene.proxy.writes()).toEqual([]);
    expect((await scene.machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
  });

  test('after it was sent leaves it unknown, and resume settles it', async () => {
    const scene = await setMcpScene();
    const session = await scene.start(allowAll);

    await cancelDuring(scene, 'POST', session);

    const id = await openRecord(session);
    // The cancelled call holds its log until it has ended.
    await vi.waitFor(async () =>
      expect(await session.call('resume', { id })).toMatchObject({ ok: true, outcome: 'applied' }),
    );
  });

  test.each(['end', 'terminate'] as const)(
    'by the end of the server (%s) is written to the history',
    async (way) => {
      const scene = await setMcpScene();
      const session = await scene.start(allowAll);
      const held = new Promise<void>((resolve) => {
        scene.proxy.decide(({ method }) => {
          if (method === 'GET') return 'pass';
          resolve();
          return { holdUntil: new Promise(() => {}) };
        });
      });
      session.call('blog_create', { title: 'Spring', contentMd: 'x' }).catch(() => {});
      await held;

      expect(await session[way]()).toBe(0);
      const { stdout } = await scene.machine.run(['history', 'list', '--json']);
      expect(JSON.parse(stdout)).toMatchObject([{ operation: 'blog.create', state: 'unknown' }]);
      expect(session.stderr()).not.toContain('error');
      for (const line of session.stdout().trim().split('\n'))
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    },
  );
});

test('the server keeps its profile when the settings change', async () => {
  const { service, machine } = await setMcpScene();
  const login = (profile: string, store: string) =>
    machine.run(
      ['auth', 'login', '--profile', profile, '--with-key', '--store', store, '--base-url', service.origin],
      {
        stdin: service.apiKey,
        env: { STORECTL_API_KEY: '', STORECTL_BASE_URL: '', STORECTL_STORE_ID: '' },
      },
    );
  expect(await login('main', service.storeId)).toMatchObject({ exitCode: 0 });
  const session = await startMcp(machine, {});
  await machine.run(['profile', 'set', 'main', '--store', '4be5c0de-0000-4000-8000-000000000009']);

  expect((await session.call('settings_show')).untrusted.data).toMatchObject({ storeId: service.storeId });
  expect(session.stderr()).toContain(`Serving main → store ${service.storeId}`);
});
