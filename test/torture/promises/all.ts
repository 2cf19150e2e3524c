import { damagePromises } from './damage.ts';
import { headerKeyPromises } from './header-keys.ts';
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
  ...headerKeyPromises,
  ...restorePromises,
  ...lockPromises,
  ...damagePromises,
  ...outputPromises,
];
