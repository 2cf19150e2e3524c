import { nearName } from '../../base/nearest-name.ts';
import { describeParameter } from '../../cli/input/path-parameter.ts';
import { toJSONSchema } from './sdk.ts';
import type { Schema, Tool } from './tools.ts';

/** Fields that a command fills in if they are missing. */
const defaulted = ['idempotencyKey', 'kind'];

/** The tool as a client lists it. Without `isAllowed`, a write takes dry runs only. */
export function describeTool(tool: Tool, isAllowed: boolean) {
  const { name, description, write, destructive, idempotent } = tool;
  const isDryRun = write !== null && !isAllowed;
  const readOnly = (write === null && name !== 'resume') || isDryRun;
  return {
    name,
    title: name.replaceAll('_', ' '),
    description: isDryRun ? `Dry run only: shows what would be sent. ${description}` : description,
    inputSchema: inputSchema(tool, isDryRun),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive && !readOnly,
      idempotentHint: idempotent || readOnly,
    },
  };
}

function inputSchema(tool: Tool, isDryRun: boolean) {
  const { body, positionals, options, confirm, rows, write } = tool;
  const fields = bodySchema(body);
  return {
    type: 'object' as const,
    properties: {
      ...Object.fromEntries(
        positionals.map((name) => [name, { type: 'string', description: describe(name) }]),
      ),
      ...fields.properties,
      ...Object.fromEntries(Object.entries(options).map(([name, { schema }]) => [name, schema])),
      ...(rows !== null && { [rows.name]: rows.schema }),
      ...(confirm !== null && {
        confirm: {
          type: 'string',
          description: `The same id as ${confirm}, after the user has confirmed. Ignored if the client can ask the user
itself.`,
        },
      }),
      ...(write !== null && {
        dryRun: {
          type: 'boolean',
          ...(isDryRun && { const: true }),
          description: 'Show what would be sent, and send nothing',
        },
      }),
    },
    required: [
      ...positionals,
      // With undo, the fields come from the history.
      ...('undo' in options ? [] : fields.required.filter((name) => !defaulted.includes(name))),
      ...(rows === null ? [] : [rows.name]),
      ...(isDryRun ? ['dryRun'] : []),
    ],
    additionalProperties: body !== null,
  };
}

function describe(name: string): string {
  return name === 'id' ? 'ID from history_list' : describeParameter(name);
}

function bodySchema(body: Tool['body']): { properties: Record<string, Schema>; required: string[] } {
  if (body === null) return { properties: {}, required: [] };
  const { properties = {}, required = [] } = toJSONSchema(body, { io: 'input' });
  return { properties: properties as Record<string, Schema>, required };
}

/** Names of options that switch a guard off, or are written as on the command line. */
const optionLike = /-|^(no|allow|skip)[A-Z]|^(force|yes)$/;

/** Inputs that the contract does not name. The service may take them. */
export function unknownInputs(tool: Tool, inputs: Readonly<Record<string, unknown>>): string[] {
  const { properties } = inputSchema(tool, false);
  return Object.keys(inputs).filter((name) => !Object.hasOwn(properties, name));
}

/** What is wrong with the inputs that the command itself does not check, or null. */
export function inputProblem(tool: Tool, inputs: Readonly<Record<string, unknown>>): string | null {
  const { additionalProperties, ...schemas } = inputSchema(tool, false);
  const properties: Readonly<Record<string, Schema>> = schemas.properties;
  for (const [name, value] of Object.entries(inputs)) {
    const schema = properties[name];
    if (schema === undefined) {
      const near = nearName(Object.keys(properties), name);
      if (additionalProperties && near === null && !optionLike.test(name)) continue;
      return `unknown input ${name}${near === null ? '' : ` (did you mean ${near}?)`}`;
    }
    if (tool.body?.def.shape[name] === undefined && !hasType(value, schema.type)) {
      return `${name} must be ${schema.type === 'array' ? 'a list' : `of type ${String(schema.type)}`}`;
    }
  }
  return null;
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type;
}
