import { isObject } from '../../base/json.ts';
import type { Context } from '../../cli/command/context.ts';
import { cancelledError } from '../../cli/core/errors.ts';
import { askId } from '../../cli/operation/questions/ask-missing.ts';
import { knownIds } from '../../cli/operation/questions/known-ids.ts';
import { problemOf } from '../../cli/profiles/ask-target.ts';
import { askChoice, askText, askYesNo } from '../../cli/prompts/prompts.ts';
import { askFromStart, explainKeys } from '../../cli/prompts/questions.ts';
import { type Operation, pathParameters } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import type { RawBody } from './raw-body.ts';
import { checkRawPath, parseMethod, type RawMethod, rawMethods } from './raw-request.ts';

export interface CompleteRequest {
  readonly method: RawMethod;
  /** Path or URL, with `{store}` in it. */
  readonly target: string;
  /** The body that the user typed, or null. */
  readonly body: RawBody | null;
}

/** Asks for the missing parts of a raw request, and for confirmation if it may change something. */
export async function askRequest(
  context: Context,
  given: {
    readonly method: RawMethod | undefined;
    readonly target: string | undefined;
    /** Whether to ask for the body. */
    readonly asksBody: boolean;
  },
): Promise<CompleteRequest> {
  const { io } = context;
  const asked = { method: given.method ?? 'GET', target: given.target, body: '' };
  const askMethod = async () => {
    const choices = rawMethods.map((name) => ({ value: name, name }));
    asked.method = parseMethod(await askChoice(io, 'Method', choices, asked.method));
  };
  const askTarget = async () => {
    asked.target = await askPath(context, asked.method, asked.target);
  };
  const askBody = async () => {
    asked.body = await askText(io, 'Body (JSON, empty for none)', {
      preset: asked.body === '' ? undefined : asked.body,
      optional: true,
      validate: (text) => text.trim() === '' || problemOf(() => JSON.parse(text)) === null || 'invalid JSON',
    });
  };
  const agree = async () => {
    const { method, target, body } = asked;
    context.notice(`\n${method} ${target}${body ? `\n${body}` : ''}\n`);
    if (!(await askYesNo(io, 'Send this request?', true))) throw cancelledError();
  };
  const isRead = () => asked.method === 'GET' || asked.method === 'HEAD';
  explainKeys(context);
  await askFromStart(() => [
    ...(given.method === undefined ? [askMethod] : []),
    ...(given.target === undefined ? [askTarget] : []),
    ...(isRead() ? [] : [...(given.asksBody ? [askBody] : []), agree]),
  ]);
  const { method, target = '', body } = asked;
  return { method, target, body: body.trim() === '' ? null : bodyFrom(JSON.parse(body), body) };
}

/** Asks for a path: one of the contract's, or any other. */
async function askPath(context: Context, method: RawMethod, before: string | undefined): Promise<string> {
  const { io } = context;
  const known: readonly Operation[] = operations.filter((operation) => operation.method === method);
  const other = '';
  const choices = known.map(({ id, path, summary }) => ({
    ...{ value: id, short: path.replace('{storeId}', '{store}') },
    name: `${path.replace('{storeId}', '{store}')}  ${summary}`,
  }));
  const chosen =
    choices.length === 0
      ? other
      : await askChoice(io, 'Path', [...choices, { value: other, name: 'Other…' }]);
  const operation = known.find(({ id }) => id === chosen);
  if (operation === undefined) {
    const validate = (text: string) => problemOf(() => checkRawPath(text)) ?? true;
    return askText(io, 'Path ({store} is replaced by the store id)', {
      preset: before ?? '/v1/stores/{store}',
      validate,
    });
  }
  let path = operation.path.replace('{storeId}', '{store}');
  for (const name of pathParameters(operation).filter((one) => one !== 'storeId')) {
    const id = await askId(context, operation, name, await knownIds(context, operation), undefined);
    path = path.replace(`{${name}}`, () => encodeURIComponent(id));
  }
  return path;
}

/** An object is a body of fields, as from `--field`; any other JSON is sent unchanged. */
function bodyFrom(value: unknown, text: string): RawBody {
  return isObject(value) ? { value, query: [] } : { value: null, text, query: [] };
}
