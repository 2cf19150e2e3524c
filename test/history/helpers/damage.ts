import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { repairLogs } from '../../../src/history/journal/repair.ts';
import { flipBit, lineOf, readWrittenLog } from '../../helpers/written-log.ts';
import type { HistoryScene } from './scene.ts';

/** Changes a bit of the first request in the oldest log; once it is repaired, the history cannot know the request. */
export async function damageFirstRequest(
  scene: HistoryScene,
  { repair = true }: { repair?: boolean } = {},
): Promise<void> {
  const [name = ''] = scene.files();
  const file = path.join(scene.folder, name);
  const log = readWrittenLog(file);
  writeFileSync(file, flipBit(log, lineOf(log, 'request')));
  if (repair) await repairLogs(scene.open().journal);
}
