import { expect } from 'vitest';
import { writeFiles } from '../../../helpers/bulk.ts';
import type { Machine } from '../../../helpers/cli.ts';

/** The text of a file with a post. */
export const post = (title: string) => `# ${title}\n\nText of ${title}.\n`;

/** So many files with a post each; their names. */
export function writePosts(machine: Machine, count: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `post-${index}.md`);
  writeFiles(machine, Object.fromEntries(names.map((name) => [name, post(name)])));
  return names;
}

/** How many requests have come, of all or of those that `count` counts, when no more come. */
export async function settledCount(count: () => number, atLeast: number): Promise<number> {
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(atLeast);
  // Whatever else is let through has come by then.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return count();
}
