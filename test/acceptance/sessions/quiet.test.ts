import { expect, test } from 'vitest';
import { openSession } from './session.ts';

test('-q in a terminal: the id alone, unless there is something to ask', async () => {
  const session = await openSession('storectl backup create --label one --sections store -q');
  expect(await session.ends()).toMatch(
    /^\$ storectl backup create --label one --sections store -q\n<uuid>\nexit 0$/,
  );

  session.type('clear; storectl backup create --sections store -q');
  const asked = await session.shows(/Label:$/);
  expect(asked).toContain('demo: ');
  session.press('x', 'Enter');
  expect(await session.shows(/select$/)).toContain('Press Esc for the previous question, Ctrl-C to cancel.');
});
