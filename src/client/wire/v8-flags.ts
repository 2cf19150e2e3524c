/** Set by the build, to true for the program alone. */
declare const STORECTL_TUNES_V8: boolean | undefined;

/**
 * Tells Node 20 to spend less on compiling, which takes longer than most commands: WebAssembly with V8's fast compiler only,
 * and JavaScript with the optimizing one only after much more running than by default. The rows `storectl backup create --json`
 * and `storectl blog create` of the bench show it. Later versions of Node do better by themselves. Call it once everything that
 * matters is loaded: code that was compiled before under other flags is not used any more (see bin/compiled.js). Does nothing in
 * a script that imports the library: its process is not ours.
 */
export async function compileLess(): Promise<void> {
  if (typeof STORECTL_TUNES_V8 === 'undefined' || !process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only --interrupt-budget=1000000');
}
