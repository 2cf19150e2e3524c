/** What a shell needs to complete commands, flags and ids. */
export interface Shell {
  /** Ending of its script in the package's folder. */
  readonly extension: string;
  /** How to install it, for the middle of a sentence, with the command in backticks. */
  readonly install: string;
}

export type ShellName = 'bash' | 'zsh' | 'fish' | 'powershell';

export const shells: Readonly<Record<ShellName, Shell>> = {
  bash: { extension: 'bash', install: 'add `source <(storectl completion bash)` to ~/.bashrc' },
  zsh: { extension: 'zsh', install: 'add `source <(storectl completion zsh)` to ~/.zshrc, after compinit' },
  fish: {
    extension: 'fish',
    install: 'run `storectl completion fish > ~/.config/fish/completions/storectl.fish`',
  },
  powershell: {
    extension: 'ps1',
    install: 'add `storectl completion powershell | Out-String | Invoke-Expression` to $PROFILE',
  },
};

export const shellNames = Object.keys(shells) as ShellName[];

/** The shell that a name or the path of its program stands for, or null. */
export function findShell(text: string): ShellName | null {
  const [name = ''] = (text.split(/[/\\]/).at(-1) ?? '').toLowerCase().split('.');
  if (name === 'pwsh') return 'powershell';
  return shellNames.find((known) => known === name) ?? null;
}
