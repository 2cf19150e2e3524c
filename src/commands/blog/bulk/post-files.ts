import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CliError, cancelledError } from '../../../cli/core/errors.ts';
import { describeFile, isStandardInput, readInputText } from '../../../cli/input/input-files.ts';
import type { InputSource } from '../../../cli/input/stdin.ts';
import type { PostProblem } from '../post/fields.ts';
import type { Mapping } from '../post/map-fields.ts';
import { type ReadFile, readPost, unreadPost } from '../post/read-post.ts';
import { findNotPosts, type NotAPost } from './not-posts.ts';

/** A post in a file that was read with others. */
export interface PostFile extends ReadFile {
  /** Why nothing is sent of the file, though nothing is wrong with it; null if it is a post. */
  readonly notAPost: NotAPost | null;
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
  const read: ReadFile[] = [];
  for (const file of files) {
    read.push(await readPostFile(source, file, mapping));
    onRead();
    if (read.length % filesAtOnce === 0) await nextTurn();
    if (source.io.signal.aborted) throw cancelledError();
  }
  const notAPost = findNotPosts(read);
  const posts = read.map((one) => ({ ...one, notAPost: notAPost(one) }));
  const withSlug = new Map<string, PostFile[]>();
  for (const post of posts) {
    if (post.slug === null || post.isEmpty || post.notAPost !== null) continue;
    const sameSlug = withSlug.get(post.slug);
    if (sameSlug === undefined) withSlug.set(post.slug, [post]);
    else sameSlug.push(post);
  }
  return posts.map((post) => {
    const other = withSlug.get(post.slug ?? '')?.find((one) => one !== post);
    if (other === undefined || post.isEmpty || post.notAPost !== null || post.slug === null) return post;
    return {
      ...post,
      problem: post.problem ?? {
        line: null,
        field: 'slug',
        reason: 'is the same in another file',
        detail: `"${post.slug}" in ${other.file}`,
        fix: 'set another slug in the front matter, or import one folder or year at a time with --slug-prefix',
      },
    };
  });
}

/** A file that cannot be read is one that is wrong, like all others. */
export async function readPostFile(source: InputSource, file: string, mapping: Mapping): Promise<ReadFile> {
  const name = describeFile(file);
  const place = isStandardInput(file) ? null : path.resolve(source.io.cwd, file);
  if (place !== null && isLinkOutOfFolder(place)) return { file: name, ...unreadPost(linkOutOfFolder) };
  let text: string;
  try {
    text = await readInputText(source, file, '<file>');
  } catch (error) {
    if (!(error instanceof CliError) || isStandardInput(file)) throw error;
    return { file: name, ...unreadPost(problemOfRead(error)) };
  }
  return { file: name, ...(await readPost(text, place, mapping)) };
}

const linkOutOfFolder: PostProblem = {
  line: null,
  field: null,
  reason: 'is a symbolic link to a file outside of its folder',
  fix: 'name the file itself, or copy it into the folder',
};

/**
 * A person who can add a file to a repository can add a link, too: to a file with a secret, which would be a public post then. What a
 * shell opens for `<(…)` is a link of the system.
 */
function isLinkOutOfFolder(file: string): boolean {
  try {
    if (!lstatSync(file).isSymbolicLink()) return false;
    const folder = realpathSync(path.dirname(file));
    if (/^\/(dev|proc)\//.test(`${folder}/`)) return false;
    const target = path.relative(folder, realpathSync(file));
    return target.startsWith('..') || path.isAbsolute(target);
  } catch {
    return false;
  }
}

/** The file is named before the reason, which the error repeats. */
function problemOfRead({ failure: { reason, what, next = [] } }: CliError): PostProblem {
  const [fix] = next.flatMap((step) => ('say' in step ? [step.say] : []));
  return { line: null, field: null, reason: reason ?? what ?? 'cannot be read', fix };
}
