import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';

test('the program prints the scripts of its package', async () => {
  const machine = newProgramMachine();

  for (const [shell, file] of Object.entries({ bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'ps1' })) {
    const printed = await machine.run(['completion', shell]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(printed.stdout).toBe(readFileSync(path.join('completions', `storectl.${file}`), 'utf8'));
  }
});
