import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a shell script that a command can start as its editor, with the file as `$1`. Returns its path. */
export function makeEditor(folder: string, script: string): string {
  const file = path.join(folder, 'editor.sh');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A line for such a script that replaces text in the file. Neither text may contain a single quote. */
export function replaceLine(pattern: RegExp, replacement: string): string {
  const script = [
    'const { readFileSync, writeFileSync } = require("node:fs");',
    'const file = process.argv[1];',
    `writeFileSync(file, readFileSync(file, "utf8").replace(${pattern}, ${JSON.stringify(replacement)}));`,
  ].join(' ');
  return `'${process.execPath}' -e '${script}' "$1"`;
}
