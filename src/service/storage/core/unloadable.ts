import { existsSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import { packageFolder } from '../../../base/package-folder.ts';
import { errorCode } from '../../../base/system-error.ts';
import { DatabaseSetupError } from './errors.ts';

/** Written by the Dockerfile into the package of the image that only calls services. */
const imageMark = 'without-engines';

/** What the program runs as: only the npm package can have a database engine added to it. */
function packaging(): 'executable' | 'image' | 'package' {
  if (isSea()) return 'executable';
  return existsSync(path.join(packageFolder(), imageMark)) ? 'image' : 'package';
}

/** Why an engine's package could not be loaded, and what to do. `what` needs it: `the embedded database`. */
export function unloadable(
  what: string,
  name: string,
  cause: unknown,
  kind = packaging(),
  platform: string = process.platform,
): DatabaseSetupError {
  const failure = (message: string, advice: string) => new DatabaseSetupError(message, { cause }, advice);
  if (kind === 'executable') {
    return failure(
      `this executable does not contain ${name}, which ${what} needs`,
      'install storectl with npm: only --demo and `storectl service` need it',
    );
  }
  if (kind === 'image') {
    return failure(
      `this image does not contain ${name}, which ${what} needs`,
      'use the image of the service: only --demo and `storectl service` need it',
    );
  }
  if (errorCode(cause) === 'MODULE_NOT_FOUND' || errorCode(cause) === 'ERR_MODULE_NOT_FOUND') {
    return failure(
      `${what} needs the package ${name}, which is not installed: run \`npm install ${name}\``,
      'install storectl without --omit=optional: only --demo and `storectl service` need it',
    );
  }
  const reason = cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause);
  return failure(
    `${what} needs the package ${name}, which cannot be loaded: ${reason}`,
    platform === 'win32'
      ? 'install the Microsoft Visual C++ Redistributable (VCRUNTIME140.dll), or reinstall storectl'
      : 'reinstall storectl',
  );
}
