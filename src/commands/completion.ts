import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from '../base/package-folder.ts';
import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded } from '../cli/command/input-needed.ts';
import { usageError } from '../cli/core/errors.ts';
import { argumentValue } from '../cli/core/parsed-command.ts';
import { printableLines } from '../cli/core/sanitize.ts';

/** The script of each shell in the package's folder `completions`. */
const scripts = new Map([
  ['bash', 'storectl.bash'],
  ['zsh', 'storectl.zsh'],
  ['fish', 'storectl.fish'],
  ['powershell', 'storectl.ps1'],
]);

const shells = [...scripts.keys()];

export const command: CommandDefinition = {
  description: `Print the script that makes Tab complete commands, flags, values, profiles and the ids that this machine
knows.`,
  details: `bash: add \`source <(storectl completion bash)\` to ~/.bashrc. zsh: add \`source <(storectl completion zsh)\` to
~/.zshrc, after compinit, or write it to a file _storectl in a directory of $fpath. fish: run \`storectl completion fish >
~/.config/fish/completions/storectl.fish\`. PowerShell: add \`storectl completion powershell | Out-String |
Invoke-Expression\` to $PROFILE.`,
  arguments: [{ name: 'shell', description: `One of ${shells.join(', ')}`, complete: shells }],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/storectl',
    'completion zsh > ~/.zfunc/_storectl',
    'completion fish > ~/.config/fish/completions/storectl.fish',
    'completion powershell | Out-String | Invoke-Expression',
  ],
  withoutJson: true,
  async run({ ui, parsed }) {
    const shell = argumentValue(parsed, 'shell');
    if (shell === undefined)
      throw inputNeeded([{ field: 'shell', give: '<shell>', description: `one of ${shells.join(', ')}` }]);
    const script = scripts.get(shell);
    if (script === undefined)
      throw usageError(`unsupported shell "${shell}"`, `use one of ${shells.join(', ')}`);
    ui.print(printableLines(readFileSync(path.join(packageFolder(), 'completions', script), 'utf8')));
  },
};
