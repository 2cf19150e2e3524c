import { expect, test } from 'vitest';
import { setScene } from './scene.ts';
import { openSession } from './sessions/session.ts';

/** A scene whose service keeps its answers to itself until `release` is called. */
async function setSilentScene() {
  const scene = await setScene();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  scene.proxy.decide(() => ({ holdUntil: held }));
  return { ...scene, release };
}

const wait = /Waiting for 127\.0\.0\.1:\d+… \d+ s \(Ctrl-C to stop\)$/;

test.each([
  ['echo "$STORECTL_API_KEY" | storectl auth login --with-key', /✓ Logged in/],
  ['storectl doctor', /^access +ok/m],
  ['storectl backup create --label nightly --sections store', /✓ Created backup/],
])('%s: a terminal shows what is awaited, until the answer comes', async (command, answer) => {
  const { machine, release } = await setSilentScene();
  const session = await openSession(command, { machine });
  await session.shows(wait);
  release();
  await session.shows(answer);
  expect(await session.ends()).not.toContain('Waiting');
});
