import { damagePromises } from './damage.ts';
import { keyPromises } from './keys.ts';
import { lockPromises } from './locks.ts';
import { outputPromises } from './output.ts';
import type { ProgramPromise } from './promise.ts';
import { restorePromises } from './restore.ts';
import { sendingPromises } from './sending.ts';
import { truthPromises } from './truth.ts';

export const promises: readonly ProgramPromise[] = [
  ...truthPromises,
  ...sendingPromises,
  ...keyPromises,
  ...restorePromises,
  ...lockPromises,
  ...damagePromises,
  ...outputPromises,
];
