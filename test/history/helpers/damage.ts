import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scene } from './scene.ts';

/** Changes a letter of the first request in the oldest log, and repairs the history, which cannot know the request then. */
export async function damageFirstRequest(scene: Scene): Promise<void> {
  const [name = ''] = scene.files();
  const file = path.join(scene.folder, name);
  const [header, request = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [header, request.replace('"method"', '"nethod"'), ...rest].join('\n'));
  await scene.open().journal.repair();
}
