import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CliError, cancelledError, describeSystemError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';

/**
 * Lets the user edit `text` in $VISUAL or $EDITOR and returns what they saved. The file is theirs alone (0600) and is
 * removed afterwards. Throws exit 3 where the editor cannot be started or fails, and 130 where Ctrl-C ends it.
 */
export async function editText(io: Io, text: string, fileName: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-'));
  const file = path.join(folder, fileName);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // In many editors Ctrl-C is a key like others, and the terminal sends it to this process as well.
    const run = () => runEditor(io, file);
    await (io.leaveInterrupts?.(run) ?? run());
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The shell splits `code --wait`, as it does for git. */
async function runEditor({ env, process, signal }: Io, file: string): Promise<void> {
  if (signal.aborted) throw cancelledError();
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const command =
    process.platform === 'win32'
      ? `${editor} "${file}"`
      : // Without a trap of its own the shell would end by the Ctrl-C that the editor has taken.
        `trap : INT; ${editor} '${file.replaceAll("'", "'\\''")}'`;
  let interrupted = false;
  const failure = await new Promise<string | null>((resolve) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', env });
    child.on('error', (error) => resolve(describeSystemError(error)));
    child.on('exit', (code, reason) => {
      // A shell reports an editor that Ctrl-C has ended as 130.
      interrupted = signal.aborted || reason === 'SIGINT' || code === 130;
      resolve(code === 0 ? null : `it ended with ${reason ?? code}`);
    });
  });
  if (failure === null) return;
  if (interrupted) throw cancelledError();
  throw new CliError({
    code: 'editor_failed',
    exitCode: exitCodes.inputNeeded,
    message: `the editor "${editor}" did not do its work: ${failure}`,
    hint: 'set VISUAL or EDITOR to an editor that waits until the file is closed',
    outcome: 'not_sent',
  });
}
