import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CliError, cancelledError } from '../../../cli/core/errors.ts';
import { describeFile, isStandardInput, readInputText } from '../../../cli/input/input-files.ts';
import type { InputSource } from '../../../cli/input/stdin.ts';
import type { Mapping } from '../post/map-fields.ts';
import { type Post, readPost } from '../post/read-post.ts';

/** A post in a file. */
export interface PostFile extends Post {
  /** As the user named it. */
  readonly file: string;
}

/** Between two looks at whether the user has cancelled. */
const filesAtOnce = 50;

/** The posts in the files. Of files with one slug none can be sent. `onRead` is called after each. Rejects if cancelled. */
export async function readPostFiles(
  source: InputSource,
  files: readonly string[],
  mapping: Mapping,
  onRead: () => void,
): Promise<PostFile[]> {
  const posts: PostFile[] = [];
  for (const file of files) {
    posts.push(await readPostFile(source, file, mapping));
    onRead();
    if (posts.length % filesAtOnce === 0) await nextTurn();
    if (source.io.signal.aborted) throw cancelledError();
  }
  const withSlug = new Map<string, PostFile[]>();
  for (const post of posts) {
    if (post.slug === null || post.isEmpty) continue;
    withSlug.set(post.slug, [...(withSlug.get(post.slug) ?? []), post]);
  }
  return posts.map((post) => {
    const twin = withSlug.get(post.slug ?? '')?.find((other) => other !== post);
    if (twin === undefined || post.isEmpty || post.slug === null) return post;
    const reason =
      'is the same in another file: set slug in the front matter, or import one folder or year at a time with --slug-prefix';
    return {
      ...post,
      problem: post.problem ?? {
        line: null,
        field: 'slug',
        reason,
        detail: `"${post.slug}", as ${twin.file}`,
      },
    };
  });
}

/** A file that cannot be read is one that is wrong, like all others. */
export async function readPostFile(source: InputSource, file: string, mapping: Mapping): Promise<PostFile> {
  const name = describeFile(file);
  let text: string;
  try {
    text = await readInputText(source, file, '<file>');
  } catch (error) {
    if (!(error instanceof CliError) || isStandardInput(file)) throw error;
    const problem = { line: null, field: null, reason: error.failure.what ?? 'cannot be read' };
    return { file: name, body: {}, slug: null, leftOut: [], losesDate: false, isEmpty: false, problem };
  }
  const place = isStandardInput(file) ? null : path.resolve(source.io.cwd, file);
  return { file: name, ...(await readPost(text, place, mapping)) };
}
