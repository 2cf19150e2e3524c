import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { Ui } from '../command/ui.ts';
import { stateDirectory } from '../config/directories.ts';
import { phrase, toRun } from '../config/phrase.ts';
import { CliError, cancelledError, localStateError, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Io, withoutKey } from '../core/io.ts';
import { line } from '../core/sanitize.ts';

type EditorIo = Pick<Io, 'env' | 'process' | 'signal' | 'ignoreInterruptsDuring' | 'keyboard'>;

/** The command that opens the user's editor. */
function editorOf({ env, process }: Pick<Io, 'env' | 'process'>): string {
  return env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
}

/** How an editor ended that did not end well. */
interface EditorFailure {
  /** It could not be started, or lost the file. Else the user left it with an error, as `:cq` of vim does, to cancel. */
  readonly isBroken: boolean;
  readonly what: string;
}

/**
 * Lets the user edit `text` in $VISUAL or $EDITOR, in this file. Returns the text as the editor left it, and how the editor
 * failed, or null. Throws exit 130 if Ctrl-C ends the editor.
 */
export async function editText(
  io: EditorIo,
  text: string,
  file: string,
): Promise<{ readonly text: string; readonly failure: EditorFailure | null }> {
  // Editors expect the last line to end, and what is appended to the file becomes a separate line.
  writeFileSync(file, text.replace(/[^\n]$/, '$&\n'), { mode: 0o600 });
  // Many editors use Ctrl-C themselves, and the terminal sends it to this process as well.
  const run = () => runEditor(io, editorOf(io), file);
  const takeBack = io.keyboard?.lend();
  const failure = await (io.ignoreInterruptsDuring?.(run) ?? run()).finally(takeBack);
  const edited = readEdited(file);
  if (edited === null) return { text, failure: failure ?? { isBroken: true, what: 'the file was deleted' } };
  // Editors end the last line, which is no part of the text.
  return { text: text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, ''), failure };
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
  /** The command that takes the text from a file, which is its last argument. */
  readonly command: readonly string[];
}

/** What was typed, and the file that keeps it until it was sent. */
export interface Edited<Result> {
  readonly result: Result;
  /** Removes the file: its text was sent, or is not wanted. */
  discard(): void;
  /** Says where the text is kept, because it was not sent. */
  keep(): void;
}

/**
 * Opens the editor again, with the text and the reason, until the text can be used. An empty text cancels; an unchanged
 * text gives up. The text is in a file of the state directory, mode 0600, until `discard` is called; on every error, the user
 * reads where it is.
 */
export async function editUntilUsed<Result>(
  ui: Ui,
  original: string,
  editing: Editing<Result>,
): Promise<Edited<Result>> {
  const { io } = ui;
  const draft = openDraft(io, editing.fileName);
  let text = original;
  let problem: CliError | null = null;
  const withNote = () => editing.withNote(text, problem);
  const discard = () => draft.remove();
  const keep = () => {
    if (text === original) return discard();
    draft.write(editing.keepsNote && problem !== null ? withNote() : text);
    ui.writeAlways(line`\nYour text is kept in ${draft.file}`);
    ui.writeAlways(
      phrase`To send it, run ${toRun(...editing.command, shellWord(draft.file, io.process.platform))}.`,
    );
  };
  try {
    for (;;) {
      const { text: left, failure } = await editText(io, withNote(), draft.file);
      const edited = editing.withoutNote(left);
      if (failure === null && edited.trim() === '') {
        text = original;
        throw cancelledError();
      }
      const isUnchanged = edited === text;
      text = edited;
      if (failure !== null) throw editorFailed(io, failure);
      if (problem !== null && isUnchanged) throw abandoned(problem);
      try {
        return { result: await editing.use(text), discard, keep };
      } catch (error) {
        if (!isFixable(error)) throw error;
        problem = error;
      }
    }
  } catch (error) {
    keep();
    throw error;
  }
}

/** A file for a text, which no other command uses. */
function openDraft(io: Ui['io'], fileName: string) {
  const { name, ext } = path.parse(fileName);
  const folder = path.join(stateDirectory(io), 'drafts');
  const file = path.join(folder, `${name}-${randomBytes(4).toString('hex')}${ext}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw localStateError(
      'draft_unwritable',
      `cannot write ${file}: ${describeSystemError(error)}`,
      'fix that, or choose another directory with STORECTL_STATE_DIR',
    );
  }
  return {
    file,
    write: (text: string) => writeFileSync(file, text, { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  };
}

function isFixable(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { exitCode } = error.failure;
  return exitCode === exitCodes.usage || exitCode === exitCodes.rejected;
}

function editorFailed(io: EditorIo, { isBroken, what }: EditorFailure): CliError {
  if (!isBroken) return cancelledError(`cancelled: the editor ended with ${what}`);
  return usageError(
    `the editor "${editorOf(io)}" failed: ${what}`,
    'set VISUAL or EDITOR to an editor that waits until the file is closed',
    { code: 'editor_failed' },
  );
}

function abandoned({ failure }: CliError): CliError {
  const { what, fields, status } = failure;
  return usageError(what, 'fix the text, which is kept', { fields, status });
}

/** What a shell answers for a program that it cannot find or run. */
const notStarted: readonly unknown[] = [126, 127, 9009];

/** Returns how the editor failed, or null. The shell splits commands like `code --wait`, as git does. */
async function runEditor(
  { env, process, signal }: EditorIo,
  editor: string,
  file: string,
): Promise<EditorFailure | null> {
  if (signal.aborted) throw cancelledError();
  // Without a trap, Ctrl-C in the editor would kill the shell.
  const trap = process.platform === 'win32' ? '' : 'trap : INT; ';
  const command = `${trap}${editor} ${shellWord(file, process.platform)}`;
  let interrupted = false;
  const failure = await new Promise<EditorFailure | null>((resolve) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...withoutKey(env) } });
    child.on('error', (error) => resolve({ isBroken: true, what: describeSystemError(error) }));
    child.on('exit', (code, reason) => {
      // 130 is the shell's exit code for an editor that Ctrl-C has ended.
      interrupted = signal.aborted || reason === 'SIGINT' || code === 130;
      const what = code === null ? String(reason) : `exit status ${code}`;
      resolve(code === 0 ? null : { isBroken: notStarted.includes(code), what });
    });
  });
  if (failure !== null && interrupted) throw cancelledError();
  return failure;
}
