import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findShell, type ShellName, shellNames, shells } from '../../cli/completion/shells.ts';
import type { Io } from '../../cli/core/io.ts';
import { type Finding, notChecked, ok, warning } from './finding.ts';

/** Whether completion is installed in the user's shell: by a line in a start file, or as a script. */
export function checkCompletion(io: Io): Finding {
  const shell = currentShell(io);
  if (shell === null) {
    return notChecked('completion', `the shell is not one of ${shellNames.join(', ')}`);
  }
  const { startFiles, scripts } = completionPlaces(shell, io);
  const found = scripts.find((file) => existsSync(file)) ?? startFiles.find(mentionsStorectl);
  if (found !== undefined) return ok('completion', `${shell}, installed in ${found}`);
  return warning('completion', `not installed for ${shell}`, shells[shell].install);
}

function currentShell({ env, process }: Io): ShellName | null {
  if (env.SHELL) return findShell(env.SHELL);
  return process.platform === 'win32' ? 'powershell' : null;
}

interface Places {
  /** Files that the shell reads when it starts. */
  readonly startFiles: readonly string[];
  /** Where it looks for completion scripts by itself. */
  readonly scripts: readonly string[];
}

function completionPlaces(shell: ShellName, { env, homeDirectory: home, process }: Io): Places {
  const inHome = (...names: readonly string[]) => names.map((name) => path.join(home, name));
  const named = (script: string, folders: readonly string[]) =>
    folders.map((folder) => path.join(folder, script));
  const data = env.XDG_DATA_HOME || path.join(home, '.local', 'share');
  const config = env.XDG_CONFIG_HOME || path.join(home, '.config');
  const shared = ['/usr/share', '/usr/local/share', '/opt/homebrew/share'];
  const below = (name: string) => shared.map((folder) => path.join(folder, name));
  if (shell === 'bash') {
    const own = env.BASH_COMPLETION_USER_DIR || path.join(data, 'bash-completion');
    const folders = [path.join(own, 'completions'), ...below('bash-completion/completions')];
    const eager = ['/etc/bash_completion.d', '/usr/local/etc/bash_completion.d'];
    return {
      startFiles: inHome('.bashrc', '.bash_profile', '.profile', '.bash_completion'),
      scripts: ['storectl', 'storectl.bash'].flatMap((name) => named(name, [...folders, ...eager])),
    };
  }
  if (shell === 'zsh') {
    const startFiles = ['.zshrc', '.zprofile', '.zshenv'].map((name) => path.join(env.ZDOTDIR || home, name));
    const folders = [
      ...(env.FPATH?.split(':').filter(Boolean) ?? []),
      ...startFiles.flatMap((file) => functionFolders(file, home)),
      ...below('zsh/site-functions'),
      ...below('zsh/vendor-completions'),
    ];
    return { startFiles, scripts: named('_storectl', folders) };
  }
  if (shell === 'fish') {
    const folders = [...below('fish/vendor_completions.d'), ...below('fish/completions')];
    const own = [path.join(config, 'fish', 'completions'), path.join(data, 'fish', 'vendor_completions.d')];
    return {
      startFiles: [path.join(config, 'fish', 'config.fish')],
      scripts: named('storectl.fish', [...own, ...folders]),
    };
  }
  const folders =
    process.platform === 'win32'
      ? ['', 'OneDrive'].flatMap((drive) =>
          ['PowerShell', 'WindowsPowerShell'].map((name) => path.join(home, drive, 'Documents', name)),
        )
      : [path.join(config, 'powershell')];
  const profiles = ['Microsoft.PowerShell_profile.ps1', 'profile.ps1'];
  return { startFiles: profiles.flatMap((name) => named(name, folders)), scripts: [] };
}

/** Folders that a start file of zsh adds to `fpath`. */
function functionFolders(file: string, home: string): string[] {
  const lines = linesOf(file).filter((line) => /\bfpath\b/i.test(line));
  const words = lines.flatMap((line) => line.match(/(?:~|\$HOME|\$\{HOME\})?\/[\w./-]+/g) ?? []);
  return words.map((word) => word.replace(/^(?:~|\$HOME|\$\{HOME\})/, home));
}

function mentionsStorectl(file: string): boolean {
  return linesOf(file).some((line) =>
    /storectl(?:\.js)?['"]? completion|storectl\.(?:bash|zsh|fish|ps1)\b/.test(line),
  );
}

/** The lines of a file without comments; none if it cannot be read. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => !/^\s*#/.test(line));
  } catch {
    return [];
  }
}
