import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';

test('the program prints the scripts of its package', async () => {
  const machine = newProgramMachine();

  const scripts = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'ps1', pwsh: 'ps1' };
  for (const [shell, file] of Object.entries(scripts)) {
    const printed = await machine.run(['completion', shell]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(printed.stdout).toBe(readFileSync(path.join('completions', `storectl.${file}`), 'utf8'));
  }
  const other = await machine.run(['completion', 'tcsh']);
  expect(other).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish, powershell'),
  });
});
