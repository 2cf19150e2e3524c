import { expect, test } from 'vitest';
import { whatNow } from '../../../src/cli/prompts/editor.ts';

test('the question after an invalid text names the first field and what is wrong with it', () => {
  const problem =
    'the service rejected the request (422): 1 field is invalid.\n  quietHours.start: must be HH:MM';
  expect(whatNow(problem)).toBe(
    'The service rejected the request (422): 1 field is invalid: quietHours.start: must be HH:MM. What do you want to do?',
  );
  expect(whatNow('the title is empty')).toBe('The title is empty. What do you want to do?');
});
