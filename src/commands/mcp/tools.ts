import type { Program } from '../../cli/command/command-definition.ts';
import type { Io } from '../../cli/core/io.ts';
import type { CommandInterface } from '../../cli/core/option-spec.ts';
import type { Operation } from '../../contract/operation.ts';
import { type JSONObject, registry, toJSONSchema } from './sdk.ts';

/** What holds for the lifetime of the server. */
export interface Setup {
  readonly io: Io;
  readonly program: Program;
  /** Where the calls go, for people: `main → store 4be5… @ api.example.com`. */
  readonly target: string;
  /** Options of every call: profile, store and address, so that they cannot change between calls. */
  readonly argv: readonly string[];
  /** Operations that may be sent. */
  readonly allowed: ReadonlySet<string>;
}

/** JSON Schema. */
type Schema = Readonly<JSONObject>;

/** A command as a tool, with what it takes in JSON. */
export type Tool = NonNullable<Awaited<ReturnType<typeof loadTool>>>;

/** The tools that may be called. */
export async function offeredTools(setup: Setup): Promise<Tool[]> {
  const all = await Promise.all([...setup.program.tools.keys()].map((words) => loadTool(setup, words)));
  return all.filter((tool) => tool !== null);
}

/** The tool with this name, or null if none may be called by it. */
export async function findTool(setup: Setup, name: string): Promise<Tool | null> {
  const words = [...setup.program.tools.keys()].find((candidate) => nameOf(candidate) === name);
  return words === undefined ? null : loadTool(setup, words);
}

/** `backup_create`, and `quietHours` for `--quiet-hours`. */
const nameOf = (words: string) => words.replace(/[ -]/g, '_');
const inputOf = (flag: string) => flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

async function loadTool({ program, allowed }: Setup, words: string) {
  const command = await program.tools.get(words)?.();
  const { tool: spec, options = [] } = command ?? {};
  if (command === undefined || spec === undefined) return null;
  const operation = typeof spec.sends === 'object' ? spec.sends : null;
  const isWrite = spec.sends === 'recorded' || (operation !== null && operation.class !== 'read');
  if (isWrite && !(operation === null ? allowed.size > 0 : allowed.has(operation.id))) return null;
  const inputs = Object.entries(spec.inputs ?? {}).map(
    ([name, description]) => [name, { type: 'string', description }] as const,
  );
  const inputOptions = options.filter(({ input }) => input !== undefined);
  const { properties = {}, required = [] } = operation?.body
    ? toJSONSchema(operation.body, { io: 'input' })
    : {};
  return {
    name: nameOf(words),
    words: words.split(' '),
    spec,
    /** The operation that it always sends, if there is one. */
    operation,
    /** Whether it changes something in the store. */
    isWrite,
    /** The flag of each input that is an option of the command. */
    flags: new Map(inputOptions.map(({ flag }) => [inputOf(flag), flag])),
    /** Schemas of the inputs that become arguments and options, and of the fields of the request. */
    given: Object.fromEntries<Schema>([
      ...inputs,
      ...inputOptions.map(
        ({ flag, input, description }) => [inputOf(flag), { description, ...input }] as const,
      ),
    ]),
    fields: properties as Record<string, Schema>,
    required: [...inputs.map(([name]) => name), ...required.filter((name) => !spec.optional?.includes(name))],
    /** Of what the command prints. */
    output: outputOf(command, operation),
  };
}

function outputOf({ responseFields, tool }: CommandInterface, operation: Operation | null): Schema {
  // Without the names of schemas, which would become references.
  if (operation !== null)
    return toJSONSchema(operation.response, { io: 'input', metadata: registry() }) as Schema;
  if (responseFields === undefined || tool?.sends !== undefined) return {};
  const properties = Object.fromEntries(responseFields().map((name) => [name, {}]));
  return { type: 'array', items: { type: 'object', properties } };
}
