import { addAbortSignal, type Readable } from 'node:stream';
import { OPERATION_TIMEOUT_MS } from '../../client/outcome/retry.ts';
import type { GlobalFlags } from '../command/global-flags.ts';
import { type CliError, cancelledError, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Io, isInputForbidden } from '../core/io.ts';

/** What reading input needs of a session. */
export interface InputSource {
  readonly io: Io;
  readonly flags: Pick<GlobalFlags, 'noInput' | 'timeoutMs'>;
}

/** Far more than any request may have. An endless stream must not fill the memory. */
const maxMebibytes = 64;

/**
 * Reads standard input to its end for the flag or argument that asks for it. A terminal may be silent for any
 * time if prompts are allowed, anything else for at most `--timeout`. Throws exit 3 if nothing comes, and exit 130 on
 * Ctrl-C.
 */
export async function readStdin(source: InputSource, flag: string, file = ''): Promise<Buffer> {
  const { io, flags } = source;
  const reader = `${flag} ${file}`.trim();
  if (io.stdin.readableEnded) {
    throw usageError(`${reader} cannot read standard input a second time`, 'use a file instead');
  }
  if (io.stdin.isTTY !== true) return readToEnd(source, io.stdin, 'standard input', { flag, reader });
  if (isInputForbidden(flags, io.env)) {
    throw noInput(flag, `${reader} cannot read from the terminal: prompts are off`);
  }
  const end = io.process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D';
  io.stderr.write(`Type the text for ${reader}, then press ${end} on an empty line.\n`);
  const takeBack = io.keyboard?.lend();
  return readToEnd(source, io.stdin, 'standard input', { flag, reader, waitsForever: true }).finally(
    takeBack,
  );
}

/** Reads a named pipe to its end, as {@link readStdin} does. */
export async function readPipe(
  source: InputSource,
  descriptor: number,
  name: string,
  flag: string,
): Promise<Buffer> {
  const { Socket } = await import('node:net');
  const stream = new Socket({ fd: descriptor, readable: true, writable: false });
  return readToEnd(source, stream, name, { flag, reader: flag });
}

async function readToEnd(
  { io: { signal }, flags }: InputSource,
  stream: Readable,
  name: string,
  { flag, reader, waitsForever = false }: { flag: string; reader: string; waitsForever?: boolean },
): Promise<Buffer> {
  const maxSilenceMs = flags.timeoutMs ?? OPERATION_TIMEOUT_MS;
  const chunks: Buffer[] = [];
  let size = 0;
  let isSilent = false;
  const timer = waitsForever
    ? undefined
    : setTimeout(() => {
        isSilent = true;
        stream.destroy();
      }, maxSilenceMs);
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      timer?.refresh();
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > maxMebibytes * 2 ** 20) break;
      chunks.push(bytes);
    }
  } catch (error) {
    if (signal.aborted) throw cancelledError();
    if (!isSilent) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (isSilent) {
    throw noInput(flag, `${reader} timed out: no data on ${name} for ${maxSilenceMs / 1000} s`);
  }
  if (size > maxMebibytes * 2 ** 20) {
    throw usageError(`${name} (${reader}) is larger than ${maxMebibytes} MiB`, 'use a smaller file', {
      code: 'unreadable_file',
    });
  }
  return Buffer.concat(chunks);
}

function noInput(flag: string, what: string): CliError {
  return usageError(what, 'redirect a file (… < FILE), or use a longer --timeout SECONDS', {
    code: 'input_needed',
    exitCode: exitCodes.inputNeeded,
    fields: [{ field: 'stdin', flag, detail: 'the text, on standard input' }],
  });
}
