import { readFileSync } from 'node:fs';
import path from 'node:path';
import { argumentValue, type CommandDefinition } from '../cli/command.ts';
import { inputNeeded } from '../cli/context.ts';
import { CliError, describeSystemError, usageError } from '../cli/errors.ts';
import { exitCodes } from '../cli/exit-codes.ts';

/** The shells, and the endings of their scripts in the package's folder. */
const extensions: Readonly<Record<string, string>> = {
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  powershell: 'ps1',
};

const shells = Object.keys(extensions);

/** As far below the root of the package as this file is, in the source and in the built program. */
const folder = path.join(import.meta.dirname, '..', '..', 'completions');

export const command: CommandDefinition = {
  description: `Print the script that makes Tab complete commands, flags, values, profiles and the ids that this machine
knows. bash: add \`source <(storectl completion bash)\` to ~/.bashrc. zsh: write it to a file _storectl in a folder of
$fpath, or add \`source <(storectl completion zsh)\` to ~/.zshrc below compinit. fish: write it to
~/.config/fish/completions/storectl.fish. PowerShell: add \`storectl completion powershell | Out-String |
Invoke-Expression\` to $PROFILE.`,
  arguments: [{ name: 'shell', description: `One of ${shells.join(', ')}`, complete: shells }],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/storectl',
    'completion zsh > ~/.zfunc/_storectl',
    'completion fish > ~/.config/fish/completions/storectl.fish',
    'completion powershell >> $PROFILE',
  ],
  async run(context, parsed) {
    const shell = argumentValue(parsed, 'shell');
    if (shell === undefined) {
      throw inputNeeded([{ field: 'shell', give: '<shell>', description: `one of ${shells.join(', ')}` }]);
    }
    const extension = extensions[shell];
    if (extension === undefined) {
      throw usageError(`there is no completion for "${shell}"`, `there is one for: ${shells.join(', ')}`);
    }
    context.print(readScript(path.join(folder, `storectl.${extension}`)));
    return undefined;
  },
};

function readScript(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError({
      code: 'installation_incomplete',
      exitCode: exitCodes.localState,
      message: `cannot read ${file}: ${describeSystemError(error)}`,
      hint: 'it belongs to the package: install storectl again',
    });
  }
}
