import { expect, test } from 'vitest';
import { gate } from '../helpers/gate.ts';
import { setScene } from '../helpers/scene.ts';
import { openSession } from './sessions/session.ts';

test.each([
  ['echo "$STORECTL_API_KEY" | storectl auth login --with-key', /✓ Logged in/],
  ['storectl doctor', /^access +ok/m],
  ['storectl backup create --label nightly --sections store', /✓ Created backup/],
])('%s: a terminal shows what is awaited, until the answer comes', async (command, answer) => {
  const { machine, proxy } = await setScene({ built: true });
  const answers = gate();
  proxy.decide(() => ({ holdUntil: answers.opened }));
  const session = await openSession(command, { machine });
  await session.shows(/Waiting for 127\.0\.0\.1:\d+… \d+ s \(Ctrl-C to stop\)$/);
  answers.open();
  await session.shows(answer);
  expect(await session.ends()).not.toContain('Waiting');
});
