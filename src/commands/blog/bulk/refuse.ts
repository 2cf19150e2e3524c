import { groupByReason, messageWithDetail, nameSome } from '../../../cli/batch/group-results.ts';
import { knownResult } from '../../../cli/batch/item-result.ts';
import { type CliError, usageError } from '../../../cli/core/errors.ts';
import type { PostProblem } from '../post/fields.ts';
import { skipInvalid } from './file-options.ts';
import { hasOthers, type PlannedPost, placeOf } from './plan.ts';

/** What is wrong with a file, with what only this file has. */
export const wholeReason = ({ reason, detail }: PostProblem) =>
  detail === undefined ? reason : `${reason} (${detail})`;

/**
 * Exit 2 if a status that publishes is given and no file is to be public: posts cannot be edited, so a draft by mistake takes the
 * slug for good. Among other files, drafts are what a blog has.
 */
export function refuseOnlyDrafts(planned: readonly PlannedPost[], status: unknown): void {
  if (status !== 'published' && status !== 'scheduled') return;
  const [first, ...others] = planned.filter(({ plan }) => plan.kind === 'create').map(({ post }) => post);
  if (first === undefined || [first, ...others].some(({ body }) => body.status !== 'draft')) return;
  const what =
    others.length === 0
      ? `${first.file} says that it is a draft`
      : `all ${others.length + 1} files say that they are drafts`;
  throw usageError(
    `${what}; --status ${status} does not change that`,
    'change it in the file to publish the post, or leave out --status to create a draft',
  );
}

/** Exit 2 with each reason once, and with all files in the JSON of the error. */
export function refuseInvalid(planned: readonly PlannedPost[], invalid: readonly PlannedPost[]): CliError {
  const results = invalid.flatMap((one) => {
    const result = knownResult(one);
    return result === null ? [] : [{ item: placeOf(one.post), result }];
  });
  const lines = groupByReason(results).map(({ items, result }) =>
    items.length === 1
      ? `${items[0]}: ${messageWithDetail(result)}`
      : `${items.length} files: ${result.message} (${nameSome(items)})`,
  );
  const files = invalid.flatMap(({ post: { file, problem } }) =>
    problem === null
      ? []
      : [{ path: file, line: problem.line, field: problem.field, reason: wholeReason(problem) }],
  );
  const [only] = lines;
  const fix = invalid.length === 1 ? 'fix the file' : 'fix the files';
  const all = hasOthers(planned) ? `${fix}, or add ${skipInvalid} to create the others` : fix;
  const own = new Set(invalid.flatMap(({ post }) => post.problem?.fix ?? []));
  const next = [...own, all].map((say) => ({ say }));
  if (invalid.length === 1 && only !== undefined)
    return usageError(only, next, { code: 'invalid_input', files });
  const what = `${invalid.length} of ${planned.length} files are invalid, so nothing was sent`;
  return usageError(what, next, { code: 'invalid_input', lines, files });
}
