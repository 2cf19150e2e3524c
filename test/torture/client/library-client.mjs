// A script that uses the library for one call, TORTURE_CALL: { method, input, options, timeoutMs }; `method` is one of the
// client's, `resume` included. It ends as the command would have.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { STORECTL_BASE_URL: baseUrl, STORECTL_STORE_ID: storeId, STORECTL_API_KEY: apiKey } = process.env;
const load = (name) => import(pathToFileURL(path.join(process.env.TORTURE_LIBRARY, `${name}.mjs`)).href);
const { createClient } = await load('client');
const { createHistory } = await load('history');
const { method, input, options, timeoutMs } = JSON.parse(process.env.TORTURE_CALL);

const codesOfStatus = new Map([
  [401, 4],
  [403, 4],
  [404, 5],
  [410, 5],
  [409, 6],
  [412, 6],
  [425, 8],
  [429, 8],
]);
const codesOfRefusal = { in_doubt: 10, key_reused: 2 };

function exitOf({ kind, status, failure }) {
  if (kind === 'rejected') return codesOfStatus.get(status) ?? (status >= 500 ? 9 : 7);
  if (kind === 'not_sent') return failure.code === 'throttled' ? 8 : 9;
  return kind === 'applied' ? 0 : 10;
}

function end(exitCode, error) {
  process.exitCode = exitCode;
  if (exitCode !== 0) process.stderr.write(`${JSON.stringify({ error })}\n`);
}

try {
  const history = createHistory({
    folder: path.join(process.env.STORECTL_STATE_DIR, 'history'),
    baseUrl,
    storeId,
  });
  const client = createClient({ baseUrl, storeId, apiKey, history, timeoutMs });
  if (method === 'resume') {
    const resumed = await client.resume();
    const reports = resumed.map(({ recordId: id, operation, action, outcome, reason }) => ({
      id,
      operation,
      action,
      reason,
      state: outcome?.kind ?? 'unknown',
    }));
    process.stdout.write(JSON.stringify(reports));
    end(reports.some(({ action, state }) => action !== 'superseded' && state === 'unknown') ? 10 : 0, {});
  } else {
    const result = await client[method](input, options);
    if (result.kind === 'applied') process.stdout.write(JSON.stringify(result.body));
    end(exitOf(result), { code: result.failure?.code, outcome: result.kind, operationId: result.recordId });
  }
  await client.close();
} catch (error) {
  const { name, reason, code, message, earlier } = error;
  if (name === 'RefusedError')
    end(codesOfRefusal[reason] ?? 6, {
      code: reason === 'duplicate' || reason === 'only_once' ? 'already_sent' : reason,
      outcome: reason === 'in_doubt' ? 'unknown' : 'not_sent',
      operationId: earlier?.id,
    });
  else if (name === 'HistoryError') end(11, { code, message, outcome: 'not_sent' });
  else throw error;
}
