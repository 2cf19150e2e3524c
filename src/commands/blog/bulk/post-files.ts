import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { nearName } from '../../../base/nearest-name.ts';
import { describeSystemError } from '../../../base/system-error.ts';
import { CliError, fixInput, usageError } from '../../../cli/core/errors.ts';
import { describeFile, isStandardInput, readText } from '../../../cli/input/input-files.ts';
import { parseTime, timeExamples } from '../../../cli/input/parse-time.ts';
import type { InputSource } from '../../../cli/input/stdin.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import { fileError, type MarkdownPost, parseMarkdownPost, slugOfFile } from './markdown-file.ts';

/** A post to create, validated. */
export interface PostFile {
  readonly file: string;
  /** Null for standard input, which has no name to make one from: the service makes it. */
  readonly slug: string | null;
  readonly body: Record<string, unknown>;
}

/**
 * The posts in the files; `common` overrides their front matter. The slug comes from the front matter or else from the
 * file name, so it is the same on every run. Throws one exit 2 with the problems of all files.
 */
export async function readPostFiles(
  source: InputSource,
  files: readonly string[],
  common: Readonly<Record<string, unknown>>,
): Promise<PostFile[]> {
  const posts: PostFile[] = [];
  const problems: CliError[] = [];
  const fileOfSlug = new Map<string, string>();
  for (const file of files) {
    try {
      const post = await readPostFile(source, file, common);
      const twin = fileOfSlug.get(post.slug ?? '');
      if (twin !== undefined) {
        const problem = `has the same slug as ${twin} ("${post.slug}"): set slug in its front matter`;
        throw fileError(file, null, problem);
      }
      if (post.slug !== null) fileOfSlug.set(post.slug, file);
      posts.push(post);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error);
    }
  }
  if (problems.length === 0) return posts;
  if (problems.length === 1 && problems[0]) throw problems[0];
  throw usageError(`${problems.length} of ${files.length} files are invalid, so nothing was sent`, fixInput, {
    code: 'invalid_input',
    lines: problems.map(({ message }) => message),
  });
}

async function readPostFile(
  source: InputSource,
  file: string,
  common: Readonly<Record<string, unknown>>,
): Promise<PostFile> {
  const name = describeFile(file);
  const { body, lineOf } = await readDraft(source, file, common);
  checkPost(name, body, lineOf);
  if (body.title === undefined) {
    throw fileError(name, 1, 'title is missing: set it in the front matter or as a first heading "# …"');
  }
  return { file: name, slug: typeof body.slug === 'string' ? body.slug : null, body };
}

/** The fields of a file, overridden by `given`, with a slug; not validated. */
export async function readDraft(
  source: InputSource,
  file: string,
  given: Readonly<Record<string, unknown>>,
): Promise<{ body: Record<string, unknown>; lineOf: MarkdownPost['lineOf'] }> {
  const name = describeFile(file);
  const { fields, lineOf } = await parseMarkdownPost(await readText(source, file, '<file>'), name);
  const body: Record<string, unknown> = { ...fields, ...given };
  if (typeof body.scheduledAt === 'string') {
    const time = parseTime(body.scheduledAt, Date.now());
    if (time === null) {
      throw fileError(name, lineOf('scheduledAt'), `scheduledAt must be a time, for example ${timeExamples}`);
    }
    body.scheduledAt = time;
  }
  if (!isStandardInput(file)) body.slug ??= slugOfFile(path.resolve(source.io.cwd, file));
  return { body, lineOf };
}

function checkPost(
  name: string,
  body: Readonly<Record<string, unknown>>,
  lineOf: MarkdownPost['lineOf'],
): void {
  if (body.contentMd === '') throw fileError(name, null, 'the content is empty');
  if (body.slug === '') {
    throw fileError(name, null, 'cannot make a slug from this file name: set slug in the front matter');
  }
  const known = Object.keys(createBlogPost.body.shape);
  for (const field of Object.keys(body)) {
    // Others are sent: the service may know more fields.
    const near = known.includes(field) || lineOf(field) === null ? null : nearName(known, field);
    if (near !== null)
      throw fileError(name, lineOf(field), `unknown field: ${field} (did you mean ${near}?)`);
  }
  const { error } = createBlogPost.body.safeParse(body);
  const issue = error?.issues.find(({ path: [field] }) => body[String(field)] !== undefined);
  if (issue === undefined) return;
  throw fileError(name, lineOf(String(issue.path[0])), `${issue.path.join('.')} ${issue.message}`);
}

/**
 * The files that the arguments name, each once. Shells usually expand `posts/*.md`; if one did not (Windows, quotes), `*`
 * and `?` in the last name are expanded here, sorted. Throws exit 2 for a pattern without a match.
 */
export function expandFiles(patterns: readonly string[], cwd: string): string[] {
  const files = patterns.flatMap((pattern) => {
    if (pattern === '-' || existsSync(path.resolve(cwd, pattern))) return [pattern];
    return /[*?]/.test(path.basename(pattern)) ? expand(pattern, cwd) : [pattern];
  });
  return [...new Set(files)];
}

function expand(pattern: string, cwd: string): string[] {
  const folder = path.dirname(pattern);
  const expression = path
    .basename(pattern)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  let names: string[];
  try {
    names = readdirSync(path.resolve(cwd, folder));
  } catch (error) {
    throw noFile(pattern, describeSystemError(error));
  }
  const matching = new RegExp(`^${expression}$`);
  const found = names.filter((name) => matching.test(name) && !name.startsWith('.')).sort();
  if (found.length === 0) throw noFile(pattern, 'no file matches');
  return found.map((name) => path.join(folder, name));
}

function noFile(pattern: string, reason: string) {
  return usageError(`cannot read ${pattern}: ${reason}`, 'check the path', { code: 'unreadable_file' });
}
