import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the package, the same for the source and for the built program, whose files are less deep. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
