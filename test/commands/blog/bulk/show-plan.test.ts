import { expect, test } from 'vitest';
import type { KnownPost } from '../../../../src/commands/blog/bulk/known-posts.ts';
import type { PlannedPost } from '../../../../src/commands/blog/bulk/plan.ts';
import { describeForQuestion, questionOf } from '../../../../src/commands/blog/bulk/show-plan.ts';

const known = {} as KnownPost;

function plan(count: number, what: 'send' | 'settle' = 'send'): PlannedPost[] {
  return Array.from({ length: count }, (_, index) => ({
    post: { file: `${index}.md`, slug: `${index}`, body: { title: `Post ${index}` } },
    plan: what === 'send' ? { do: what } : { do: what, known },
  }));
}

test('a long plan of posts that are all created is shown by its beginning', () => {
  expect(describeForQuestion(plan(60), 80).split('\n')).toEqual([
    'PLAN    FILE  SLUG  TITLE OR REASON',
    ...[0, 1, 2, 3, 4].map((index) => `create  ${index}.md  ${index}     Post ${index}`),
    '… and 55 more',
    '',
  ]);
  expect(describeForQuestion(plan(10), 80).split('\n')).toHaveLength(12);
});

test('a plan whose rows differ is shown whole, with totals', () => {
  const text = describeForQuestion([...plan(59), ...plan(1, 'settle')], 80);
  expect(text.split('\n')).toHaveLength(64);
  expect(text).toContain('\n59 to create, 1 to check\n');
});

test.each([
  [1, 0, 'Create 1 post?'],
  [60, 0, 'Create 60 posts?'],
  [31, 12, 'Create 31 posts and check 12 that were sent earlier?'],
  [31, 1, 'Create 31 posts and check 1 that was sent earlier?'],
  [0, 2, 'Check 2 posts that were sent earlier?'],
])('%d to create and %d to check: %s', (send, settle, question) => {
  expect(questionOf([...plan(send), ...plan(settle, 'settle')])).toBe(question);
});
