/**
 * Tells Node 20 to compile WebAssembly with V8's fast compiler only: the default one takes longer than most commands.
 * Later versions of Node do better by themselves. Call it once everything that matters is loaded: code that was compiled
 * before under other flags is not used any more (see bin/compiled.js).
 */
export async function compileWebAssemblyFast(): Promise<void> {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only');
}
