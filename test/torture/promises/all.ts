import { outputPromises } from './output.ts';
import type { ProgramPromise } from './promise.ts';
import { sendingPromises } from './sending.ts';
import { truthPromises } from './truth.ts';

export const promises: readonly ProgramPromise[] = [...truthPromises, ...sendingPromises, ...outputPromises];
