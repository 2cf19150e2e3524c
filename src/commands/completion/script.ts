import { readPackageFile } from '../../base/package-file.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printableLines } from '../../cli/core/sanitize.ts';

/** The script of each shell in the package's folder `completions`, and a line that loads it. */
const scripts = {
  bash: { file: 'storectl.bash', load: 'source <(storectl completion bash)' },
  zsh: { file: 'storectl.zsh', load: 'source <(storectl completion zsh)' },
  fish: { file: 'storectl.fish', load: 'storectl completion fish | source' },
  powershell: {
    file: 'storectl.ps1',
    load: 'storectl completion powershell | Out-String | Invoke-Expression',
  },
} as const;

export type Shell = keyof typeof scripts;

export const shells = Object.keys(scripts) as readonly Shell[];

/** The text of a shell's script. */
export function readScript(shell: Shell): string {
  return readPackageFile('completions', scripts[shell].file);
}

/** The command that prints the script of a shell. */
export function scriptCommand(shell: Shell): CommandDefinition {
  return {
    description: `Print the completion script for ${shell}, for a line in the startup file of your own:
\`${scripts[shell].load}\`. To have it written to where the shell looks: \`storectl completion install ${shell}\`.`,
    examples: [`completion ${shell}`],
    withoutJson: true,
    async run({ ui }) {
      ui.print(printableLines(readScript(shell)));
      return undefined;
    },
  };
}
