import { timeOf } from './processes.mjs';

/** Samples in a round of what takes a few hundredths of a second. */
export const quickSamples = 5;

/** Milliseconds that Node needs for nothing: what every program on it costs at least. */
export function nodeFloor({ node, env }) {
  return () => timeOf(node, ['-e', '0'], { env });
}
