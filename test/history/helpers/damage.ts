import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repairLogs } from '../../../src/history/journal/repair.ts';
import type { HistoryScene } from './scene.ts';

/** Changes a letter of the first request in the oldest log; once it is repaired, the history cannot know the request. */
export async function damageFirstRequest(
  scene: HistoryScene,
  { repair = true }: { repair?: boolean } = {},
): Promise<void> {
  const [name = ''] = scene.files();
  const file = path.join(scene.folder, name);
  const [header, request = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [header, request.replace('"method"', '"nethod"'), ...rest].join('\n'));
  if (repair) await repairLogs(scene.open().journal);
}
