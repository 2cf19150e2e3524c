import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A mistake that somebody could make. The harness has to find it. */
export interface Defect {
  readonly name: string;
  /** Of the file system that the program is given: see client-hook.cjs. */
  readonly fileSystem?: string;
  /** Of the program as it is built: in each file with `find`, which has to be there. */
  readonly patch?: { readonly find: string; readonly replace: string };
}

export const defects: readonly Defect[] = [
  { name: 'files are not synced', fileSystem: 'sync-files' },
  { name: 'folders are not synced', fileSystem: 'sync-folders' },
];

/** Folder of the program with the defect, and that of the file system. */
export function plantDefect({ name, fileSystem, patch }: Defect, root: string) {
  const program = patch === undefined ? root : copyWith(patch, root, name.replace(/\W/g, '-'));
  return { program, fileSystemDefect: fileSystem ?? null };
}

/** A copy of the built program, patched. Throws if there is nothing to patch. */
function copyWith({ find, replace }: NonNullable<Defect['patch']>, root: string, name: string): string {
  const copy = path.join(root, 'node_modules', '.cache', 'torture-defects', name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const part of ['bin', 'dist'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const files = readdirSync(path.join(copy, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => path.join(copy, 'dist', file));
  const patched = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    if (!text.includes(find)) return false;
    writeFileSync(file, text.replaceAll(find, replace));
    return true;
  });
  if (patched.length === 0) throw new Error(`"${name}" has nothing to patch: ${find}`);
  // What was compiled of the whole program is not of this one.
  writeFileSync(path.join(copy, 'dist', 'build-id'), name.slice(0, 16).padEnd(16, '0'));
  return copy;
}
