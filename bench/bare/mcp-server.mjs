// The official package and one tool that does nothing: what any server made with it costs to start.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  server.registerTool('nothing', { description: 'Does nothing' }, () => ({ content: [] }));
  return server;
});
