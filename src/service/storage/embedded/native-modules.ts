import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Runs `load`, in which a native module whose file was cut off, by a full disk for instance, throws instead of being loaded. Linux
 * maps the file into memory unread, and the first use of what is missing would end the process by SIGBUS, without a word. What the
 * file does not tell is left to the system, as on macOS and Windows.
 */
export async function withWholeModules<Result>(load: () => Promise<Result>): Promise<Result> {
  const { dlopen } = process;
  process.dlopen = (module, file, ...flags) => {
    refuseCutOff(file);
    dlopen.call(process, module, file, ...flags);
  };
  try {
    return await load();
  } finally {
    process.dlopen = dlopen;
  }
}

function refuseCutOff(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const header = Buffer.alloc(64);
    readSync(handle, header, 0, header.length, 0);
    const { size } = fstatSync(handle);
    const length = lengthOfElf(header);
    if (size >= length) return;
    throw Object.assign(new Error(`${file} is incomplete: it has ${size} of ${length} bytes`), {
      code: 'ERR_DLOPEN_FAILED',
    });
  } finally {
    closeSync(handle);
  }
}

/** How many bytes an ELF file has at least, up to the end of its table of sections, which linkers put last. Else 0. */
function lengthOfElf(header: Buffer): number {
  const isElf = header.toString('latin1', 0, 4) === '\x7fELF';
  const isLittleEndian = header[5] === 1;
  if (!isElf || !isLittleEndian) return 0;
  const is64Bit = header[4] === 2;
  return is64Bit
    ? Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60)
    : header.readUInt32LE(32) + header.readUInt16LE(46) * header.readUInt16LE(48);
}
