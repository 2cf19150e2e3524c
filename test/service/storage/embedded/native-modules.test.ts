import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withWholeModules } from '../../../../src/service/storage/embedded/native-modules.ts';
import { temporaryFolder } from '../../../helpers/cli.ts';

/** The header of an ELF file with 30 sections of 64 bytes from the byte 80 on, filled up to 2000 bytes. */
function elf(is64Bit: boolean): Buffer {
  const file = Buffer.alloc(2000);
  file.write('\x7fELF', 'latin1');
  file[4] = is64Bit ? 2 : 1;
  file[5] = 1;
  if (is64Bit) file.writeBigUInt64LE(80n, 40);
  else file.writeUInt32LE(80, 32);
  file.writeUInt16LE(64, is64Bit ? 58 : 46);
  file.writeUInt16LE(30, is64Bit ? 60 : 48);
  return file;
}

const incomplete = 'is incomplete: it has 1999 of 2000 bytes';

test.each([
  ['an ELF file of 64 bits without its last byte', elf(true).subarray(0, 1999), true],
  ['an ELF file of 32 bits without its last byte', elf(false).subarray(0, 1999), true],
  ['an ELF file with all its bytes', elf(true), false],
  ['less than a header', elf(true).subarray(0, 20), false],
  ['no bytes', Buffer.alloc(0), false],
  ['something else', Buffer.from('MZ of Windows'), false],
])('%s is not loaded, and only what is known to be cut off is called so', async (_, bytes, isIncomplete) => {
  const file = path.join(temporaryFolder(), 'index.node');
  writeFileSync(file, bytes);
  const { dlopen } = process;

  const loading = withWholeModules(async () => createRequire(import.meta.url)(file));

  const error = await loading.then(expect.fail, (cause) => cause);
  expect(error).toMatchObject({ code: 'ERR_DLOPEN_FAILED' });
  expect(error.message.includes(incomplete)).toBe(isIncomplete);
  expect(process.dlopen).toBe(dlopen);
});
