import { nearName } from '../../base/nearest-name.ts';
import type { CommandCall, CommandDefinition } from '../../cli/command/command-definition.ts';
import { describeTarget } from '../../cli/config/connection-settings.ts';
import { usageError } from '../../cli/core/errors.ts';
import { optionValues, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { operations } from '../../contract/operations/operations.ts';
import type { Setup } from './tools.ts';

const allow = '--allow';

/** The operations that it may name. */
const writes = operations.filter((operation) => operation.class !== 'read').map(({ id }) => id);

export const command: CommandDefinition = {
  description: `Run a Model Context Protocol (MCP) server on standard input and output, for an assistant. It uses one stored profile
and its key. Reads are always allowed. A change is offered only if ${allow} names its operation, with the same guards and the
same history as the commands.`,
  options: [
    {
      flag: allow,
      value: 'OPERATIONS',
      list: true,
      complete: writes,
      description: 'Operations that may be sent, comma-separated, for example backup.create,disputes.decide',
      group: 'Safety:',
    },
  ],
  examples: ['mcp --profile main', 'mcp --profile main --allow backup.create', '--demo mcp'],
  notes: [
    'Claude Code:',
    '  claude mcp add storectl -- storectl mcp --profile main',
    'Codex:',
    '  codex mcp add storectl -- storectl mcp --profile main',
    'Claude Desktop, Cursor, Gemini CLI and others, in their settings:',
    '  {"mcpServers": {"storectl": {"command": "storectl", "args": ["mcp", "--profile", "main"]}}}',
    'VS Code, in .vscode/mcp.json:',
    '  {"servers": {"storectl": {"command": "storectl", "args": ["mcp", "--profile", "main"]}}}',
  ],
  withoutJson: true,
  async run(call) {
    const { ui, parsed } = call;
    const setup = await readSetup(call, readAllowed(parsed));
    const { allowed, target } = setup;
    ui.notice(
      line`Serving ${target}; ${allowed.size === 0 ? 'nothing can be changed' : `may send: ${[...allowed].join(', ')}`}.`,
    );
    if (ui.io.stdin.isTTY) ui.notice('Waiting for an MCP client on standard input. Press Ctrl-C to stop.');
    const { serve } = await import('./server.ts');
    await serve(setup);
  },
};

/** The operations of `--allow`. Throws exit 2 for an unknown name, with a similar one. */
function readAllowed(parsed: ParsedCommand): ReadonlySet<string> {
  const names = optionValues(parsed, allow).flatMap((list) => list.split(',').map((name) => name.trim()));
  for (const name of names) {
    if (writes.some((write) => write === name)) continue;
    const near = nearName(writes, name);
    throw usageError(
      `${allow}: unknown operation "${name}"${near === null ? '' : ` (did you mean ${near}?)`}`,
      `operations: ${writes.join(', ')}`,
    );
  }
  return new Set(names);
}

/** Profile, store and address stay the same for all calls, whatever changes in the settings meanwhile. */
async function readSetup(
  { session: { io, flags, settings }, program }: CommandCall,
  allowed: ReadonlySet<string>,
): Promise<Setup> {
  const resolved = await settings();
  const { profile, profileSource, storeId, baseUrl } = resolved;
  const argv = [
    ...(profileSource === 'default' ? [] : [`--profile=${profile}`]),
    ...(storeId === null ? [] : [`--store=${storeId.value}`]),
    ...(baseUrl === null ? [] : [`--base-url=${baseUrl.value}`]),
    ...(flags.timeoutMs === undefined ? [] : [`--timeout=${flags.timeoutMs / 1000}`]),
  ];
  // What is captured must be plain JSON.
  const { FORCE_COLOR: _, STORECTL_DEBUG: __, ...env } = io.env;
  return { io: { ...io, env }, program, target: describeTarget(resolved), argv, allowed };
}
