import { readFileSync } from 'node:fs';
import { bashCompletion } from '../src/cli/completion-bash.ts';
import { fishCompletion } from '../src/cli/completion-fish.ts';
import { completionModel, loadTree } from '../src/cli/completion-model.ts';
import { powershellCompletion } from '../src/cli/completion-powershell.ts';
import { zshCompletion } from '../src/cli/completion-zsh.ts';
import { buildOpenApi } from '../src/contract/openapi.ts';

/** Every file in the repository that is made from the source, by its path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const commands = await loadTree();
  const completion = completionModel(commands);
  return {
    'openapi.json': `${JSON.stringify(buildOpenApi(version), null, 2)}\n`,
    'completions/storectl.bash': bashCompletion(completion, engine('bash')),
    'completions/storectl.zsh': zshCompletion(completion, engine('zsh')),
    'completions/storectl.fish': fishCompletion(completion, engine('fish')),
    'completions/storectl.ps1': powershellCompletion(completion, engine('ps1')),
  };
}

/** What is the same in every version of a completion script, in the language of its shell. */
function engine(extension: string): string {
  return readFileSync(`scripts/completions/engine.${extension}`, 'utf8');
}
