import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { launcher, newProgramMachine, testNode } from '../helpers/program.ts';

test('the built program serves an assistant, with an example store', async () => {
  const { env, folder } = newProgramMachine();
  const transport = new StdioClientTransport({
    command: testNode,
    args: [launcher, '--demo', 'mcp', '--allow', 'backup.create'],
    env: { ...env },
    cwd: folder,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'backup_create')?.inputSchema.properties).toMatchObject({
    label: { description: 'Label of the backup' },
  });

  const created = await client.callTool({
    name: 'backup_create',
    arguments: { label: 'a', sections: ['store'] },
  });

  expect(created.structuredContent).toMatchObject({ ok: true, outcome: 'applied' });
});

test.each(['stdin', 'SIGTERM'] as const)(
  'it ends cleanly by %s, and prints nothing but the protocol',
  async (way) => {
    const program = newProgramMachine().start(['--demo', 'mcp'], { stdin: 'silent' });
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    program.process.stdin?.write(`${JSON.stringify(initialize)}\n`);
    await program.shown(/serverInfo/);
    if (way === 'SIGTERM') program.process.kill('SIGTERM');
    else program.process.stdin?.end();

    const { exitCode, stdout, stderr } = await program.ended;

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'storectl' } } });
    expect(stderr).toBe('Serving demo → example store on this machine; nothing can be changed.\n');
  },
);
