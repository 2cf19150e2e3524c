import { expect, test } from 'vitest';
import { unloadable } from '../../../../src/service/storage/core/unloadable.ts';

const missing = Object.assign(new Error("Cannot find module 'libsql'\nRequire stack: …"), {
  code: 'MODULE_NOT_FOUND',
});
const broken = Object.assign(
  new Error('\\\\?\\C:\\x\\index.node: The specified module could not be found.'),
  {
    code: 'ERR_DLOPEN_FAILED',
  },
);

test.each([
  [missing, 'package', 'linux', 'is not installed: run `npm install libsql`', '--omit=optional'],
  [
    broken,
    'package',
    'win32',
    'cannot be loaded: \\\\?\\C:\\x\\index.node: The specified',
    'VCRUNTIME140.dll',
  ],
  [broken, 'package', 'linux', 'cannot be loaded: ', 'reinstall storectl'],
  [missing, 'executable', 'linux', 'this executable does not contain libsql', 'with npm'],
  [missing, 'image', 'linux', 'this image does not contain libsql', 'image of the service'],
] as const)(
  'the cause of an engine that cannot be loaded is said: %s in the %s on %s',
  (cause, kind, platform, message, advice) => {
    const error = unloadable('the embedded database', 'libsql', cause, kind, platform);

    expect(error.message).toContain(message);
    expect(error.advice).toContain(advice);
  },
);
