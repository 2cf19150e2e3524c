import type { Context } from '../../cli/command/context.ts';
import { inputNeeded } from '../../cli/command/input-needed.ts';
import { argumentValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import type { CompleteRequest } from './ask-request.ts';
import { checkRawPath, parseMethod } from './raw-request.ts';

/** Method and path of a raw request. A terminal is asked for missing ones, and then for the body. */
export async function completeRequest(context: Context, parsed: ParsedCommand): Promise<CompleteRequest> {
  const first = argumentValue(parsed, 'method');
  const second = argumentValue(parsed, 'path');
  const isPath = second === undefined && first?.includes('/');
  const [method, path] = isPath ? ['GET', first] : [first, second];
  const target = path?.replace(/^v1\//, '/v1/');
  if (method !== undefined && target !== undefined) {
    checkRawPath(target);
    return { method: parseMethod(method), target, body: null };
  }
  if (!context.canPrompt) {
    const description = 'for example /v1/stores/{store}/operations/settings';
    throw inputNeeded([{ field: 'path', give: '<path>', description }]);
  }
  // Fail on a missing key before asking anything.
  await context.connect();
  const { askRequest } = await import('./ask-request.ts');
  return askRequest(context, {
    method: method === undefined ? undefined : parseMethod(method),
    target,
    asksBody: !parsed.options.has('--field') && !parsed.options.has('--input'),
  });
}
