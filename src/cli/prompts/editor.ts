import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import type { Ui } from '../command/ui.ts';
import { CliError, cancelledError, type Step, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Io, withoutKey } from '../core/io.ts';
import { yourText } from '../core/sanitize.ts';

type EditorIo = Pick<Io, 'env' | 'process' | 'signal' | 'ignoreInterruptsDuring' | 'keyboard'>;

/** The command that opens the user's editor. */
function editorOf({ env, process }: Pick<Io, 'env' | 'process'>): string {
  return env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
}

/**
 * Lets the user edit `text` in $VISUAL or $EDITOR. Returns the text as the editor left it, and why the editor failed, or null.
 * The file has mode 0600 and is removed afterwards. Throws exit 130 if Ctrl-C ends the editor.
 */
export async function editText(
  io: EditorIo,
  text: string,
  fileName: string,
): Promise<{ readonly text: string; readonly failure: string | null }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-'));
  const file = path.join(folder, fileName);
  try {
    // Editors expect the last line to end, and what is appended to the file becomes a line of its own.
    writeFileSync(file, text.replace(/[^\n]$/, '$&\n'), { mode: 0o600 });
    // Many editors use Ctrl-C themselves, and the terminal sends it to this process as well.
    const run = () => runEditor(io, editorOf(io), file);
    const takeBack = io.keyboard?.lend();
    const failure = await (io.ignoreInterruptsDuring?.(run) ?? run()).finally(takeBack);
    const edited = readEdited(file);
    if (edited === null) return { text, failure: failure ?? 'the file was deleted' };
    // Editors end the last line, which is no part of the text.
    return { text: text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, ''), failure };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readEdited(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** A text that is edited until it can be used. */
export interface Editing<Result> {
  readonly fileName: string;
  /** Adds a note above the text, for example why it was refused. */
  withNote(text: string, problem: CliError | null): string;
  /** Whether a text that is given up is printed with its note, because the problem names a line below it. */
  readonly keepsNote?: boolean;
  /** Removes the note. */
  withoutNote(text: string): string;
  /** Throws exit 2 or 7 if the user can fix the text. */
  use(text: string): Promise<Result>;
  /** The command that takes the text from a file. */
  readonly keep: Step;
}

/**
 * Opens the editor again, with the text and the reason, until the text can be used. An empty text cancels; an unchanged
 * text gives up. On every error, the user's text is printed so that it is not lost.
 */
export async function editUntilUsed<Result>(
  ui: Ui,
  original: string,
  editing: Editing<Result>,
): Promise<Result> {
  const { io } = ui;
  let text = original;
  let problem: CliError | null = null;
  const withNote = () => editing.withNote(text, problem);
  try {
    for (;;) {
      const { text: left, failure } = await editText(io, withNote(), editing.fileName);
      const edited = editing.withoutNote(left);
      if (failure === null && edited.trim() === '') throw cancelledError();
      const isUnchanged = edited === text;
      text = edited;
      if (failure !== null) throw editorFailed(io, failure);
      if (problem !== null && isUnchanged) throw gaveUp(editing, problem);
      try {
        return await editing.use(text);
      } catch (error) {
        if (!isFixable(error)) throw error;
        problem = error;
      }
    }
  } catch (error) {
    if (text !== original)
      ui.saveUserText(yourText(editing.keepsNote && problem !== null ? withNote() : text));
    throw error;
  }
}

function isFixable(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { exitCode } = error.failure;
  return exitCode === exitCodes.usage || exitCode === exitCodes.rejected;
}

function editorFailed(io: EditorIo, failure: string): CliError {
  return usageError(
    `the editor "${editorOf(io)}" failed: ${failure}`,
    'set VISUAL or EDITOR to an editor that waits until the file is closed',
    { code: 'editor_failed' },
  );
}

function gaveUp({ keep }: Editing<unknown>, { failure }: CliError): CliError {
  const { what, fields, status } = failure;
  const next = [{ say: 'your text is printed above: save it to a file' }, keep];
  return usageError(what, next, { fields, status });
}

/** Returns why the editor failed, or null. The shell splits commands like `code --wait`, as git does. */
async function runEditor(
  { env, process, signal }: EditorIo,
  editor: string,
  file: string,
): Promise<string | null> {
  if (signal.aborted) throw cancelledError();
  const command =
    process.platform === 'win32'
      ? `${editor} "${file}"`
      : // Without a trap, Ctrl-C in the editor would kill the shell.
        `trap : INT; ${editor} '${file.replaceAll("'", "'\\''")}'`;
  let interrupted = false;
  const failure = await new Promise<string | null>((resolve) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...withoutKey(env) } });
    child.on('error', (error) => resolve(describeSystemError(error)));
    child.on('exit', (code, reason) => {
      // 130 is the shell's exit code for an editor that Ctrl-C has ended.
      interrupted = signal.aborted || reason === 'SIGINT' || code === 130;
      resolve(code === 0 ? null : `exit status ${reason ?? code}`);
    });
  });
  if (failure !== null && interrupted) throw cancelledError();
  return failure;
}
