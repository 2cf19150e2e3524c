import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { defects } from '../torture/defects.ts';

const dist = path.join(import.meta.dirname, '..', '..', 'dist');
const built = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'))
  .map((file) => readFileSync(path.join(dist, file), 'utf8'));

// It takes an hour to plant them all, so a patch that no longer fits the code would be noticed late.
test.each(defects)('torture can plant $name', ({ patches = [] }) => {
  const notFound = patches.filter(({ find }) => !built.some((text) => text.includes(find)));
  expect(notFound.map(({ find }) => find)).toEqual([]);
});
