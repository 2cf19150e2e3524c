import { readFileSync } from 'node:fs';
import type { CommandDefinition } from '../cli/command/command-definition.ts';
import type { Session } from '../cli/command/session.ts';
import type { Ui } from '../cli/command/ui.ts';
import { findShell, shellNames, shells } from '../cli/completion/shells.ts';
import { usageError } from '../cli/core/errors.ts';
import { argumentValue } from '../cli/core/parsed-command.ts';
import { completionScript } from '../cli/program/prerendered.ts';
import { chooseOrFail } from '../cli/prompts/ask-or-fail.ts';

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
  async run({ ui, session, parsed }) {
    const given = argumentValue(parsed, 'shell');
    const named = given ?? (await chooseShell(ui, session));
    const shell = findShell(named);
    if (shell === null) {
      throw usageError(`unsupported shell "${named}"`, `use one of ${shellNames.join(', ')}`);
    }
    ui.print(readFileSync(completionScript(shell), 'utf8'));
    if (given === undefined) ui.notice(`To use it, ${shells[shell].install}.`);
  },
};

/** The shell in use first. */
async function chooseShell(ui: Ui, session: Session): Promise<string> {
  const own = findShell(session.io.env.SHELL ?? '');
  const choices = [...shellNames]
    .sort((a, b) => Number(b === own) - Number(a === own))
    .map((name) => ({ value: name, name: name === own ? `${name} (your shell)` : name, short: name }));
  const missing = { field: 'shell', give: '<shell>', description: `one of ${shellNames.join(', ')}` };
  return chooseOrFail(ui, missing, 'Which shell do you use?', choices);
}
