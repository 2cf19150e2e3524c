import { timeOf } from './processes.mjs';

/** Samples per round of something that takes a few hundredths of a second. */
export const quickSamples = 5;

/** Milliseconds that Node takes to run nothing: the minimum for every program. */
export function nodeFloor({ node, env }) {
  return () => timeOf(node, ['-e', '0'], { env });
}
