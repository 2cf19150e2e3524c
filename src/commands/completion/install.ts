import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { localStateError, usageError } from '../../cli/core/errors.ts';
import type { Io } from '../../cli/core/io.ts';
import type { OptionSpec } from '../../cli/core/option-spec.ts';
import { argumentValue, isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { askNeededOne } from '../../cli/prompts/ask-or-fail.ts';
import { type Place, placeFor } from './places.ts';
import { readScript, type Shell, shells } from './script.ts';
import { addToStartupFile, removeFromStartupFile } from './startup-file.ts';

const remove = {
  flag: '--remove',
  description: 'Remove what was installed',
} as const satisfies OptionSpec;

export const command: CommandDefinition = {
  description: `Make Tab complete commands, flags, values, profiles and ids. The script is written to where your shell looks;
if the shell does not load it by itself, a line in its startup file does. --remove takes both away again.`,
  arguments: [
    {
      name: 'shell',
      description: `One of ${shells.join(', ')} (default: your shell)`,
      optional: true,
      complete: shells,
    },
  ],
  options: [remove],
  examples: ['completion install', 'completion install zsh', 'completion install zsh --remove'],
  async run({ ui, parsed }) {
    const shell = await chosenShell(ui, parsed);
    const place = await placeFor(shell, ui.io);
    const isRemoval = isOn(parsed, remove.flag);
    const changed = isRemoval ? uninstall(place) : install(shell, place);
    report(ui, shell, changed, isRemoval);
    if (ui.json) printJson(ui, { shell, [isRemoval ? 'removedFrom' : 'writtenTo']: changed });
    return undefined;
  },
};

/** The shell that is named, or the user's own, else a terminal is asked. Throws exit 2 for another one. */
async function chosenShell(ui: Ui, parsed: ParsedCommand): Promise<Shell> {
  const { env, process } = ui.io;
  const named = argumentValue(parsed, 'shell');
  const own = process.platform === 'win32' ? 'powershell' : path.basename(env.SHELL ?? '');
  const known = (name: string) => shells.find((shell) => shell === name);
  const found = known(named ?? own);
  if (found !== undefined) return found;
  const missing = {
    field: 'shell',
    give: '<shell>',
    description: `one of ${shells.join(', ')}`,
    question: 'Which shell do you use?',
    choices: async () => shells.map((value) => ({ value, name: value })),
    isClosed: true,
  };
  const chosen = known(named ?? (await askNeededOne(ui, missing)));
  if (chosen !== undefined) return chosen;
  throw usageError(`unsupported shell "${named}"`, `use one of ${shells.join(', ')}`);
}

/** Returns the files that were written. */
function install(shell: Shell, { script, startup, needsLine }: Place): string[] {
  const text = readScript(shell);
  const written: string[] = [];
  changing(script, () => {
    if (existsSync(script) && readFileSync(script, 'utf8') === text) return;
    mkdirSync(path.dirname(script), { recursive: true });
    writeFileSync(script, text);
    written.push(script);
  });
  if (startup === null || !needsLine) return written;
  changing(startup.file, () => {
    mkdirSync(path.dirname(startup.file), { recursive: true });
    if (addToStartupFile(startup.file, startup.line)) written.push(startup.file);
  });
  return written;
}

/** Returns the files that were removed or changed. */
function uninstall({ script, startup }: Place): string[] {
  const removed: string[] = [];
  changing(script, () => {
    if (!existsSync(script)) return;
    rmSync(script);
    removed.push(script);
  });
  if (startup === null) return removed;
  changing(startup.file, () => {
    if (removeFromStartupFile(startup.file)) removed.push(startup.file);
  });
  return removed;
}

function changing(file: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    throw localStateError(
      'unwritable_file',
      `cannot change ${file}: ${describeSystemError(error)}`,
      'make it writable, or load the output of `storectl completion SHELL` yourself',
    );
  }
}

function report(ui: Ui, shell: Shell, changed: readonly string[], isRemoval: boolean): void {
  if (changed.length === 0) {
    ui.notice(isRemoval ? line`Nothing is installed for ${shell}.` : line`Already installed for ${shell}.`);
  } else {
    printSuccess(ui, isRemoval ? `Removed completion for ${shell}` : `Installed completion for ${shell}`);
    for (const file of changed) ui.notice(line`  ${file}`);
  }
  if (isRemoval) return;
  ui.notice(line`Open a new ${shell === 'powershell' ? 'PowerShell' : shell} to use it.`);
  if (!isOnPath(ui.io))
    ui.notice('storectl is not on your PATH yet: completion begins to work when it is.', 'yellow');
  if (changed.length > 0) {
    ui.notice(phrase`Remove it: ${toRun('completion', 'install', shell, '--remove')}`);
  }
}

function isOnPath({ env, process }: Io): boolean {
  const names = process.platform === 'win32' ? ['storectl.cmd', 'storectl.exe', 'storectl'] : ['storectl'];
  const folders = (env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute);
  return folders.some((folder) => names.some((name) => existsSync(path.join(folder, name))));
}
