import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded } from '../cli/command/input-needed.ts';
import { findShell, shellNames, shells } from '../cli/completion/shells.ts';
import { usageError } from '../cli/core/errors.ts';
import { packageFolder } from '../cli/core/package-folder.ts';
import { argumentValue } from '../cli/core/parsed-command.ts';

export const command: CommandDefinition = {
  description: `Print the script that makes Tab complete commands, flags, values, profiles and the ids that this machine
knows.`,
  details: `bash: ${shells.bash.install}. zsh: ${shells.zsh.install}, or write it to a file _storectl in a directory of $fpath.
fish: ${shells.fish.install}. PowerShell: ${shells.powershell.install}.`,
  arguments: [{ name: 'shell', description: `One of ${shellNames.join(', ')}`, complete: shellNames }],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/storectl',
    'completion zsh > ~/.zfunc/_storectl',
    'completion fish > ~/.config/fish/completions/storectl.fish',
    'completion powershell | Out-String | Invoke-Expression',
  ],
  withoutJson: true,
  async run({ ui, parsed }) {
    const named = argumentValue(parsed, 'shell');
    if (named === undefined)
      throw inputNeeded([
        { field: 'shell', give: '<shell>', description: `one of ${shellNames.join(', ')}` },
      ]);
    const shell = findShell(named);
    if (shell === null) {
      throw usageError(`unsupported shell "${named}"`, `use one of ${shellNames.join(', ')}`);
    }
    const script = `storectl.${shells[shell].extension}`;
    ui.print(readFileSync(path.join(packageFolder(), 'completions', script), 'utf8'));
  },
};
