import path from 'node:path';
import type { ReadFile } from '../post/read-post.ts';

/** Why a file is no post, though nothing is wrong with it. */
export interface NotAPost {
  /** Stable: `no_content`, `not_a_post`. */
  readonly code: string;
  readonly reason: string;
}

const page = /^index(?:\.[^.]+)?\.[^.]+$/i;
/** Hugo and Zola list the posts of a folder on such a page. */
const sectionPage = /^_index\./i;

/**
 * Says which files are no posts: those without content, and those that Hugo and Zola make no pages of, the page of a section and
 * the notes in the folder of a post. A post is public for good, so they are skipped; a file that is given alone is meant.
 */
export function findNotPosts(files: readonly ReadFile[]): (file: ReadFile) => NotAPost | null {
  const isAlone = files.length === 1;
  const bundles = new Set(
    files.filter(({ file, hasFields }) => hasFields && page.test(path.basename(file))).map(folderOf),
  );
  return (one) => {
    if (one.isEmpty && one.problem === null)
      return { code: 'no_content', reason: one.hasFields ? 'nothing but front matter' : 'the file is empty' };
    if (isAlone) return null;
    if (sectionPage.test(path.basename(one.file)))
      return { code: 'not_a_post', reason: `the page of a folder in Hugo and Zola${ifMeant}` };
    // Only a post has front matter, and in the folder of a post nothing else does.
    const isPart = !one.hasFields && one.problem === null && !page.test(path.basename(one.file));
    return isPart && bundles.has(folderOf(one))
      ? { code: 'not_a_post', reason: `a part of the post in its folder, without front matter${ifMeant}` }
      : null;
  };
}

const ifMeant = '; given alone, it is created';

function folderOf({ file }: ReadFile): string {
  return path.dirname(file);
}
