import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context } from '../command/context.ts';
import { CliError, cancelledError, describeSystemError, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import type { Io } from '../core/io.ts';
import { printable } from '../core/sanitize.ts';

/** The editor cannot be started, or fails: a mistaken setting, exit 2. */
export class EditorFailed extends CliError {
  /** What it left of the text. */
  readonly text: string;

  constructor(editor: string, failure: string, text: string) {
    super({
      code: 'editor_failed',
      exitCode: exitCodes.usage,
      message: `the editor "${editor}" did not do its work: ${failure}`,
      hint: 'nothing was sent; set VISUAL or EDITOR to an editor that waits until the file is closed',
      outcome: 'not_sent',
    });
    this.text = text;
  }
}

/**
 * Lets the user edit `text` in $VISUAL or $EDITOR and returns what they saved. The file is theirs alone (0600) and is
 * removed afterwards. Throws {@link EditorFailed}, and 130 where Ctrl-C ends the editor.
 */
export async function editText(io: Io, text: string, fileName: string): Promise<string> {
  const { env, process } = io;
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-'));
  const file = path.join(folder, fileName);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // In many editors Ctrl-C is a key like others, and the terminal sends it to this process as well.
    const run = () => runEditor(io, editor, file);
    const failure = await (io.leaveInterrupts?.(run) ?? run());
    const edited = readEdited(file);
    if (failure !== null) throw new EditorFailed(editor, failure, edited ?? text);
    if (edited === null) throw new EditorFailed(editor, 'the file is gone', text);
    return edited;
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

/** A text that is edited until something can be made of it. */
export interface Editing<Result> {
  readonly fileName: string;
  /** Puts what the user should know above the text, such as what is wrong with it. */
  withNote(text: string, problem: string | null): string;
  /** Takes that away again. */
  withoutNote(text: string): string;
  /** Throws exit 2 or 7 for what another text can mend. */
  use(text: string): Promise<Result>;
  /** What a user who gives up is told: `nothing was saved`, and what to do with the text. */
  readonly nothing: string;
  readonly keep: string;
}

/** Failures in a row after which the user is asked whether to go on: an editor may break every text. */
const mostFailures = 3;

/**
 * Opens the editor again, with the text and the reason, for as long as nothing can be made of the text. An empty text
 * cancels; the same text again, or a no, gives up. Whatever goes wrong, what the user wrote is shown and not lost.
 */
export async function editUntilUsed<Result>(
  context: Pick<Context, 'io' | 'noticeToCopy'>,
  original: string,
  editing: Editing<Result>,
): Promise<Result> {
  const { io } = context;
  let text = original;
  let problem: string | null = null;
  try {
    for (let failures = 0; ; ) {
      const opened = editing.withNote(text, problem);
      const edited = editing.withoutNote(
        await editText(io, opened, editing.fileName).catch((error: unknown) => {
          if (error instanceof EditorFailed) text = editing.withoutNote(error.text);
          throw error;
        }),
      );
      if (edited.trim() === '') throw cancelledError();
      if (problem !== null && edited === text) throw gaveUp(editing, problem);
      text = edited;
      try {
        return await editing.use(text);
      } catch (error) {
        if (!isMendable(error)) throw error;
        problem = error.message;
      }
      failures += 1;
      if (failures >= mostFailures && !(await wantsToGoOn(io, problem))) throw gaveUp(editing, problem);
    }
  } catch (error) {
    if (text !== original) context.noticeToCopy(`\nYour text was:\n\n${text}`);
    throw error;
  }
}

function isMendable(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { exitCode } = error.details;
  return exitCode === exitCodes.usage || exitCode === exitCodes.rejected;
}

async function wantsToGoOn(io: Io, problem: string): Promise<boolean> {
  const { askChoice } = await import('./prompts.ts');
  const { unlessBack } = await import('./questions.ts');
  const choices = [
    { value: 'edit', name: 'edit it again' },
    { value: 'leave', name: 'give up and show the text' },
  ];
  const [reason = ''] = problem.split('\n');
  const question = `The text cannot be used: ${printable(reason.replace(/[:.]$/, ''))}. What now?`;
  return (await unlessBack(() => askChoice(io, question, choices))) !== 'leave';
}

function gaveUp({ nothing, keep }: Editing<unknown>, problem: string): CliError {
  return usageError(`${nothing}: ${problem}`, `your text is above: ${keep}`);
}

/** Answers with why the editor did not do its work, or null. The shell splits `code --wait`, as it does for git. */
async function runEditor({ env, process, signal }: Io, editor: string, file: string): Promise<string | null> {
  if (signal.aborted) throw cancelledError();
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
  if (failure !== null && interrupted) throw cancelledError();
  return failure;
}
