/*
 * What V8 is told on Node 20. Later versions of Node do better by themselves. Call these once all that matters is loaded:
 * V8 takes what bin/storectl.js has kept compiled only under the flags of a start, and compiles the rest anew.
 * bin/storectl.js takes them back before it keeps anything.
 */

/** To compile WebAssembly with the fast compiler alone: the slow one takes longer than most commands. */
export function compileWebAssemblyFast(): Promise<void> {
  return tellNode20('--liftoff-only');
}

/**
 * To leave functions as they are that are called often. Compiling them again, on processors that the service may need, is
 * only worth it for a program that calls them some thousand times more.
 */
export function leaveUnoptimized(): Promise<void> {
  return tellNode20('--no-opt');
}

async function tellNode20(flag: string): Promise<void> {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(flag);
}
