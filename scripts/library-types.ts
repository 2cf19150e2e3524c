import { readFileSync } from 'node:fs';
import { buildOpenApi } from '../src/contract/openapi/openapi.ts';
import { responseSchemas } from '../src/contract/openapi/schemas.ts';
import { additionsByMethod, operationsByMethod } from '../src/contract/operations/operations.ts';
import { problems } from '../src/contract/problem.ts';

/** What is used of a JSON schema of openapi.json. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

/**
 * The published types of the library, by file in dist/library: what `src/library/api.ts` declares, and inputs and answers of
 * the operations. They are written out of the contract, because the types of its schemas need zod.
 */
export function libraryTypes(): Record<string, string> {
  const { paths } = buildOpenApi('0.0.0', {}) as unknown as Document;
  const described = Object.values(paths).flatMap((methods) => Object.values(methods));
  // As the contract says: where a service differs, the answer has drift, and its type stays.
  const schemas = responseSchemas() as Readonly<Record<string, Schema>>;
  const answers = Object.entries(schemas).filter(([name]) => name !== 'Problem');
  const inputs: string[] = [];
  const methods: string[] = [];
  for (const [method, { id }] of Object.entries({ ...operationsByMethod, ...additionsByMethod })) {
    const operation = described.find(({ operationId }) => operationId === id);
    if (operation === undefined) throw new Error(`openapi.json has no operation ${id}`);
    const name = `${method.charAt(0).toUpperCase()}${method.slice(1)}Input`;
    const input = inputOf(operation);
    const isOptional = (input.required ?? []).length === 0;
    inputs.push(declare(name, input, 'input'));
    const success = operation.responses['200'] ?? operation.responses['201'];
    const answer = nameOf(success?.content?.['application/json']?.schema.$ref);
    methods.push(
      `  /** ${operation.summary}. ${operation.description} */`,
      `  ${method}(input${isOptional ? '?' : ''}: ${name}, options?: CallOptions): Promise<Result<${answer}>>;`,
    );
  }
  const client = [
    withProblemCodes(['src/client/outcome/outcome.ts', 'src/library/api.ts'].map(declarationsOf).join('\n')),
    ...answers.map(([name, schema]) => declare(name, schema, 'answer')),
    ...inputs,
    ['export interface Client {', ...methods, ...memberTypes(), '}', ''].join('\n'),
    `${docOf('src/library/client.ts', 'createClient')}export declare function createClient(options: ClientOptions): Client;\n`,
  ].join('\n');
  const history = [
    "import type { History, HistoryEntry } from './client.js';\n",
    "export type { History, HistoryEntry, RecordFilter } from './client.js';\n",
    `${docOf('src/library/history.ts', 'createHistory')}export declare function createHistory(options: { readonly folder: string; readonly baseUrl: string; readonly storeId: string }): History;\n`,
    errorTypes,
  ].join('\n');
  return {
    'client.d.ts': client,
    'history.d.ts': history,
    ...forModules('client'),
    ...forModules('history'),
  };
}

/** The codes of this repository's service are offered, and those of another pass. */
function withProblemCodes(text: string): string {
  const field = /(`validation_failed`.*\n {2}readonly code: )string \| null;/;
  if (!field.test(text)) throw new Error('Problem has no code any more');
  const codes = Object.keys(problems).map((code) => `'${code}'`);
  return `${text.replace(field, '$1ProblemCode | null;')}
/** Why a service refused. */
export type ProblemCode = ${[...codes, '(string & {})'].join(' | ')};
`;
}

/** ES modules get what CommonJS gets, so that there is one of each class. */
function forModules(name: string): Record<string, string> {
  const text = `export * from './${name}.js';\n`;
  return { [`${name}.mjs`]: text, [`${name}.d.mts`]: text };
}

/** The ids of the path and the fields of the body or the query, in one object. A client with a key makes one where none is given. */
function inputOf({ parameters, requestBody }: Described): Schema {
  const ids = parameters.filter((parameter) => parameter.in === 'path' && parameter.name !== 'storeId');
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = requestBody?.content['application/json'].schema;
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(ids.map(({ name, description }) => [name, { type: 'string', description }])),
      ...Object.fromEntries(query.map(({ name, description, schema }) => [name, { ...schema, description }])),
      ...body?.properties,
    },
    required: [
      ...ids.map(({ name }) => name),
      ...(body?.required ?? []).filter((name) => name !== 'idempotencyKey'),
    ],
  };
}

function declare(name: string, schema: Schema, side: 'input' | 'answer'): string {
  const { description } = schema;
  const text = description === undefined ? '' : `/** ${description} */\n`;
  return `${text}export interface ${name} ${objectType(schema, side, '')}\n`;
}

function objectType(
  { properties = {}, required = [] }: Schema,
  side: 'input' | 'answer',
  indent: string,
): string {
  const lines = Object.entries(properties).flatMap(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    const orMissing = mark === '?' && side === 'input' ? ' | undefined' : '';
    const type = typeOf(schema, side, `${indent}  `) + orMissing;
    const text = schema.description ?? schema.anyOf?.[0]?.description;
    return [...(text === undefined ? [] : [`  /** ${text} */`]), `  readonly ${name}${mark}: ${type};`];
  });
  // Typos in inputs are errors; answers may have fields that the contract does not know.
  if (side === 'answer') lines.push('  readonly [name: string]: unknown;');
  return ['{', ...lines.map((line) => indent + line), `${indent}}`].join('\n');
}

function typeOf(schema: Schema, side: 'input' | 'answer', indent: string): string {
  const { $ref, anyOf, type, items, properties, additionalProperties = {} } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, side, indent)).join(' | ');
  if (Array.isArray(type))
    return type.map((one) => typeOf({ ...schema, type: one }, side, indent)).join(' | ');
  const values = schema.enum ?? schema.examples;
  // Known values are offered, and others pass: the contract leaves them open.
  if (values !== undefined) return [...values.map((value) => `'${value}'`), '(string & {})'].join(' | ');
  if (type === 'array') {
    const item = typeOf(items ?? {}, side, indent);
    return `readonly ${item.includes(' | ') ? `(${item})` : item}[]`;
  }
  if (type === 'integer') return 'number';
  if (type === 'object' && properties !== undefined) return objectType(schema, side, indent);
  if (type === 'object') return `Readonly<Record<string, ${typeOf(additionalProperties, side, indent)}>>`;
  return typeof type === 'string' ? type : 'unknown';
}

function nameOf(reference = ''): string {
  return reference.replace(/^.*\//, '');
}

/** A file of types alone, as declarations. */
function declarationsOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^import .*\n|^\/\/ .*\n/gm, '');
}

/** The text above a function in the source. */
function docOf(file: string, name: string): string {
  const [before = ''] = readFileSync(file, 'utf8').split(`export function ${name}(`);
  return before.slice(before.lastIndexOf('/**'));
}

/** The members of the client that are no operations, as they stand in the source. */
function memberTypes(): string[] {
  const [, members = ''] =
    /^> & \{\n([\s\S]*?)\n\};/m.exec(readFileSync('src/library/client.ts', 'utf8')) ?? [];
  return [members];
}

const errorTypes = `/** The history could not do what was asked, and nothing was sent. */
export declare class HistoryError extends Error {
  /** Stable, for example \`history_damaged\`. */
  readonly code: string;
  readonly file: string | null;
}

/** A rule refuses to begin a change, such as a second appeal of one notice. Nothing was sent. */
export declare class RefusedError extends Error {
  /**
   * \`in_doubt\`: \`earlier\` may have been applied, and has to be settled first. \`duplicate\`: the same was sent within 24 hours.
   * \`only_once\`: the service takes it once. \`key_reused\`: the idempotency key was used for something else.
   * \`changed_meanwhile\`: \`earlier\` was applied since.
   */
  readonly reason: 'in_doubt' | 'duplicate' | 'only_once' | 'key_reused' | 'changed_meanwhile';
  readonly earlier: HistoryEntry | null;
}
`;
