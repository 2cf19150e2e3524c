import { spawn } from 'node:child_process';
import path from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import { localStateError } from '../../cli/core/errors.ts';
import { type Io, withoutKey } from '../../cli/core/io.ts';
import type { Shell } from './script.ts';

/** How long a shell may take to answer, in milliseconds: it runs the startup file of the user. */
const maxAnswerMs = 10_000;

/** Where the script of a shell goes, and what makes the shell load it. */
export interface Place {
  /** The file of the script. */
  readonly script: string;
  /** The startup file of the shell, and the line in it that loads the script. Null for a shell that always finds it. */
  readonly startup: { readonly file: string; readonly line: string } | null;
  /** Whether the shell needs that line. */
  readonly needsLine: boolean;
}

/** Where a shell looks on this machine. Asks bash whether it loads completions by itself, and PowerShell for its startup file. */
export async function placeFor(shell: Shell, io: Io): Promise<Place> {
  const { env, process } = io;
  const data = folder(io, env.XDG_DATA_HOME, '.local', 'share');
  if (shell === 'fish') {
    const config = folder(io, env.XDG_CONFIG_HOME, '.config');
    return {
      script: path.join(config, 'fish', 'completions', 'storectl.fish'),
      startup: null,
      needsLine: false,
    };
  }
  if (shell === 'zsh') {
    const script = path.join(data, 'storectl', 'completion.zsh');
    const file = path.join(folder(io, env.ZDOTDIR), '.zshrc');
    return {
      script,
      startup: {
        file,
        line: `[[ -r ${shellWord(script, 'linux')} ]] && source ${shellWord(script, 'linux')}`,
      },
      needsLine: true,
    };
  }
  if (shell === 'bash') {
    const own = folder(io, env.BASH_COMPLETION_USER_DIR, '.local', 'share', 'bash-completion');
    const parent =
      env.BASH_COMPLETION_USER_DIR || !env.XDG_DATA_HOME ? own : path.join(data, 'bash-completion');
    const script = path.join(parent, 'completions', 'storectl');
    const line = `[ -r ${shellWord(script, 'linux')} ] && . ${shellWord(script, 'linux')}`;
    // macOS opens login shells, which read no .bashrc.
    const name = process.platform === 'darwin' ? '.bash_profile' : '.bashrc';
    const isLoaded = (await ask(io, 'bash', ['-ic', 'complete -p -D'])) !== null;
    return { script, startup: { file: path.join(folder(io, undefined), name), line }, needsLine: !isLoaded };
  }
  const file = await powershellProfile(io);
  const script = path.join(path.dirname(file), 'storectl-completion.ps1');
  return { script, startup: { file, line: `. '${script.replaceAll("'", "''")}'` }, needsLine: true };
}

async function powershellProfile(io: Io): Promise<string> {
  for (const program of ['pwsh', 'powershell']) {
    const file = await ask(io, program, ['-NoProfile', '-NonInteractive', '-Command', '$PROFILE']);
    if (file !== null && path.isAbsolute(file)) return file;
  }
  throw localStateError(
    'no_powershell',
    'cannot find PowerShell: neither pwsh nor powershell can be run',
    'add `storectl completion powershell | Out-String | Invoke-Expression` to its $PROFILE yourself',
  );
}

/** What a program prints, without spaces around it, or null if it fails. It has no terminal, which a shell would take over. */
function ask({ env }: Io, program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: withoutKey(env),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: maxAnswerMs,
      killSignal: 'SIGKILL',
      detached: true,
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(parts).toString().trim() : null));
  });
}

/** A folder that a variable names, or one below the home folder. Throws exit 11 without either. */
function folder({ homeDirectory }: Io, named: string | undefined, ...belowHome: readonly string[]): string {
  if (named && path.isAbsolute(named)) return named;
  if (path.isAbsolute(homeDirectory)) return path.join(homeDirectory, ...belowHome);
  throw localStateError(
    'no_home',
    'cannot find the home directory, where the shell looks',
    'set HOME, or load the output of `storectl completion SHELL` yourself',
  );
}
