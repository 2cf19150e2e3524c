import path from 'node:path';
import { createBlogPost } from '../../contract/blog.ts';
import { CliError, type FieldError, usageError } from '../errors.ts';
import { isStandardInput, readText } from '../input-files.ts';
import type { InputSource } from '../stdin.ts';
import { fileError, parseMarkdownPost, slugOfFile } from './markdown-file.ts';

/** A post to create, complete and checked. */
export interface PostFile {
  readonly file: string;
  readonly slug: string;
  readonly body: Record<string, unknown>;
}

/** Problems that are named one by one; of more there is only the number. */
const mostProblems = 20;

/**
 * The posts in the files, with `common` over their front matter. Each has a slug: that of its front matter, or one from
 * its file name, which stays the same however often the command is run. Throws one exit 2 that names everything that is
 * wrong in any of them.
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
      const twin = fileOfSlug.get(post.slug);
      if (twin !== undefined) {
        throw fileError(
          file,
          null,
          `it has the same slug as ${twin}: "${post.slug}"; set slug in its front matter`,
        );
      }
      fileOfSlug.set(post.slug, file);
      posts.push(post);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error);
    }
  }
  if (problems.length === 0) return posts;
  if (problems.length === 1 && problems[0]) throw problems[0];
  const shown = problems.slice(0, mostProblems).map(({ message }) => `  ${message.replaceAll('\n', '\n  ')}`);
  const more = problems.length - shown.length;
  throw usageError(
    [
      `${problems.length} of ${files.length} files cannot be used:`,
      ...shown,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
    'correct them and run the command again; nothing was sent',
    {
      code: 'invalid_input',
      fields: problems.flatMap(({ details }): FieldError[] => [...(details.fields ?? [])]),
    },
  );
}

async function readPostFile(
  source: InputSource,
  file: string,
  common: Readonly<Record<string, unknown>>,
): Promise<PostFile> {
  if (isStandardInput(file)) {
    throw usageError('standard input holds one post and has no name', 'give it alone, or give files');
  }
  const { fields, lineOf } = await parseMarkdownPost(await readText(source, file, '<file>'), file);
  const body: Record<string, unknown> = { ...fields, ...common };
  if (body.title === undefined || body.title === null) {
    throw fileError(file, 1, 'it has no title: neither in front matter, nor as a first heading "# …"');
  }
  if (body.contentMd === '') throw fileError(file, null, 'it has no text');
  const slug = body.slug ?? slugOfFile(path.resolve(source.io.cwd, file));
  if (slug === '') throw fileError(file, null, 'no slug can be made from its name: set slug in front matter');
  body.slug = slug;
  const result = createBlogPost.body.safeParse(body);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = String(issue?.path[0] ?? '');
    const detail = (issue?.message ?? '').replace(/^Invalid input: /, '');
    throw fileError(file, lineOf(field), `${issue?.path.join('.')}: ${detail}`);
  }
  return { file, slug: String(slug), body };
}
