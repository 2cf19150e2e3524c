import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

interface Packed {
  /** Path of the tarball. */
  readonly file: string;
  /** The paths of the files in it. */
  readonly contents: readonly string[];
  /** In bytes, once installed. */
  readonly unpackedSize: number;
}

let packed: Promise<Packed> | undefined;

/** The package as it would be published, made once per test file. The program has to be built already. */
export function packProgram(): Promise<Packed> {
  packed ??= (async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'storectl-pack-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: root });
    const [{ filename, files, unpackedSize }] = JSON.parse(stdout) as [
      { filename: string; files: { path: string }[]; unpackedSize: number },
    ];
    return { file: path.join(folder, filename), contents: files.map((file) => file.path), unpackedSize };
  })();
  return packed;
}
