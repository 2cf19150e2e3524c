import { expect, test } from 'vitest';
import { whatNow } from '../../../src/cli/prompts/editor.ts';

test('the question after an invalid text says what is wrong with it', () => {
  expect(whatNow('the title is empty')).toBe('The title is empty. What do you want to do?');
});
