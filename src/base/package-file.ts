import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { packageFolder } from './package-folder.ts';

/** The text of a file of the package. The single executable has those that it reads inside, see scripts/build-single.mjs. */
export function readPackageFile(folder: string, name: string): string {
  if (isSea()) return getAsset(`${folder}/${name}`, 'utf8');
  return readFileSync(join(packageFolder(), folder, name), 'utf8');
}
