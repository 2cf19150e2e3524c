import type { Operation } from '../../../contract/operation.ts';
import { dottedPath } from '../../core/field-path.ts';
import { line } from '../../core/sanitize.ts';
import { findFormProblems } from '../../input/check-forms.ts';
import { flagOf } from '../../input/request-body.ts';
import { unknownNames } from '../../input/unknown-fields.ts';
import type { Run } from '../call/run.ts';

/**
 * Warns of what this repository's service would refuse in a request that is only shown. Another service may take it, because the
 * contract shows neither all fields nor their bounds.
 */
export function warnOfRequest({ request: { operation, body }, fields, ui }: Run): void {
  const warn = (text: string) => ui.notice(ui.err.color.yellow(line`warning: ${text}`));
  for (const text of problemsOf(operation, body ?? {}, fields)) warn(text);
}

function problemsOf({ body: schema }: Operation, body: Record<string, unknown>, fields: Run['fields']) {
  if (schema === null) return [];
  const bounds = findFormProblems(schema, body).map(({ path, problem }) => {
    const field = dottedPath(path);
    return `${flagOf(fields, field) ?? field} ${problem}`;
  });
  const unknown = unknownNames(schema, body).map(({ path, near }) => {
    const meant = near === null ? '' : ` (did you mean ${near}?)`;
    return `${dottedPath(path)} is not a field that storectl knows${meant}; it is sent as it is`;
  });
  return [...bounds, ...unknown];
}
