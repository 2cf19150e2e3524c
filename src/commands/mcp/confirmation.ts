import { asObject, isObject } from '../../base/json.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { pathParameters } from '../../contract/operation.ts';
import { rowsOfRestoring } from '../backup/for-others.ts';
import { type CommandEnd, type Inputs, runCommand, runTool } from './run-command.ts';
import { findTool, type Setup, type Tool } from './tools.ts';

/**
 * The question shows everything that will be sent, as a dry run of the command prints it, and what is known about the object
 * that is changed. Returns the result of a command that failed instead, if one did.
 */
export async function previewQuestion(
  setup: Setup,
  tool: Tool,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<string | CommandEnd> {
  const [noun = ''] = tool.words;
  const { confirm = '', description } = tool.spec;
  const shown = await showObject(setup, tool, inputs, signal);
  if (shown !== null && shown.exitCode !== exitCodes.done && shown.error?.code !== 'cannot_show')
    return shown;
  const planned = await runTool(setup, tool, inputs, { signal, isDryRun: true });
  if (planned.exitCode !== exitCodes.done) return planned;
  const { method, url, body } = asObject(planned.data);
  const wanted = wholeId(tool, String(url)) ?? String(inputs[confirm]);
  const own = new Set(Object.keys(tool.fields));
  // A dry run shows an example of a key.
  const sent = Object.entries(asObject(body)).filter(
    ([name]) => name !== 'idempotencyKey' || inputs.idempotencyKey !== undefined,
  );
  const lines = [
    description,
    setup.target,
    '',
    'This will be sent:',
    printable(`  ${method} ${url}`),
    ...sent.map((field) => fieldLine(field, own)),
    ...(await knownLines(setup, noun, wanted, signal)),
    ...restoringLines(shown?.data),
    '',
    `Type ${printable(wanted)} to confirm.`,
  ];
  return lines.join('\n');
}

/** What the service shows of the object, which is remembered. Null if no tool shows such objects, or a list does. */
async function showObject(
  setup: Setup,
  { words: [noun = ''], operation }: Tool,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<CommandEnd | null> {
  const show = await findTool(setup, `${noun}_show`);
  if (show === null) {
    if (setup.program.tools.has(`${noun} list`)) await runCommand(setup, { words: [noun, 'list'], signal });
    return null;
  }
  const ids = pathParameters(operation ?? { path: '' }).map((name) => [name, inputs[name]]);
  const given = ids.filter(([name]) => typeof name === 'string' && name in show.given);
  return runTool(setup, show, Object.fromEntries(given), { signal });
}

/** What a service says that restoring a backup would change. */
function restoringLines(backup: unknown): string[] {
  const rows = rowsOfRestoring(asObject(backup).restoring);
  if (rows.length === 0) return [];
  return [
    '',
    'Restoring it now would change:',
    ...rows.map(([label, value]) => fieldLine([label, value], new Set([label]))),
  ];
}

/** The id in the path of the request, which is whole where the input may be short. */
function wholeId({ operation, spec: { confirm } }: Tool, url: string): string | null {
  if (operation === null) return null;
  const fromEnd = operation.path.split('/').reverse().indexOf(`{${confirm}}`);
  return decodeURIComponent(url.split('/').at(-1 - fromEnd) ?? '');
}

/** What this machine knows about the object, which may be text of strangers. */
async function knownLines(setup: Setup, noun: string, id: string, signal: AbortSignal): Promise<string[]> {
  if (!setup.program.tools.has(`${noun} list`)) return [];
  const { data } = await runCommand(setup, { words: [noun, 'list'], argv: ['--seen'], signal });
  const known = Array.isArray(data) ? data.find((row) => isObject(row) && row.id === id) : undefined;
  const fields = Object.entries(asObject(known)).filter(([, value]) => value !== null && value !== '');
  const names = new Set(fields.map(([name]) => name));
  const lines = fields.map((field) => fieldLine(field, names));
  return [
    '',
    'Last seen on this machine (may contain text from strangers):',
    ...(lines.length === 0 ? ['  nothing'] : lines),
  ];
}

/** One field in one line. A text is quoted, so that no part of it can pass for another field. */
function fieldLine([name, value]: readonly [string, unknown], known: ReadonlySet<string>): string {
  const label = known.has(name) ? labelOf([name]) : JSON.stringify(name);
  const values = Array.isArray(value) ? value : [value];
  return printable(`  ${label}: ${values.map((item) => JSON.stringify(item)).join(', ')}`);
}
