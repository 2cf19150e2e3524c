/*
 * What V8 is told on Node 20 once the program is loaded. Later versions of Node do better by themselves. bin/storectl.js
 * takes all of it back before it keeps what was compiled: V8 refuses at a start what was compiled under other flags.
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
