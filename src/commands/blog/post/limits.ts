import { createBlogPost, postLimits } from '../../../contract/operations/blog.ts';

/** A field of a request, and what is wrong with it. */
interface BodyProblem {
  readonly field: string;
  readonly reason: string;
}

const { tag: maxTag, tags: maxTags, ...maxLengths } = postLimits;

/** Of any text, of a text that the service takes in one line only, and of both. */
const rules: readonly (BodyProblem & { readonly isBroken: (values: readonly string[]) => boolean })[] = [
  ...Object.entries(maxLengths).map(([field, max]) => ({
    field,
    reason: `has more than ${max} characters`,
    isBroken: ([value = '']: readonly string[]) => isLonger(value, max),
  })),
  {
    field: 'tags',
    reason: `has a tag with more than ${maxTag} characters`,
    isBroken: (tags) => tags.some((one) => isLonger(one, maxTag)),
  },
  { field: 'tags', reason: `has more than ${maxTags} tags`, isBroken: (tags) => tags.length > maxTags },
  ...['title', 'metaTitle', 'tags'].map((field) => ({
    field,
    reason: 'has control characters',
    isBroken: (values: readonly string[]) => values.some((one) => /[\p{Cc}\u2028\u2029]/u.test(one)),
  })),
  ...['contentMd', 'excerpt', 'metaDescription'].map((field) => ({
    field,
    reason: 'has a NUL character',
    isBroken: ([value = '']: readonly string[]) => value.includes('\u0000'),
  })),
];

/**
 * What the service would refuse of a request, as far as the contract knows; null if nothing is. Fields that are `unchecked` are
 * sent as they are.
 */
export function findBodyProblem(
  body: Readonly<Record<string, unknown>>,
  unchecked: (field: string) => boolean,
): BodyProblem | null {
  const { error } = createBlogPost.body.safeParse(body);
  const issue = error?.issues.find(
    ({ path: [field] }) => body[String(field)] !== undefined && !unchecked(String(field)),
  );
  if (issue !== undefined) return { field: String(issue.path[0]), reason: issue.message };
  return (
    rules.find(({ field, isBroken }) => {
      const value = body[field];
      return (
        value !== undefined &&
        !unchecked(field) &&
        isBroken(Array.isArray(value) ? value.map(String) : [String(value)])
      );
    }) ?? null
  );
}

/** In code points, of which a text never has more than units. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}
