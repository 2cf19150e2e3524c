import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sectionNames } from '../../src/contract/operations/backups.ts';
import { launcher, newProgramMachine, type ProgramMachine, shellWord, testNode } from '../helpers/program.ts';

test('the program prints the scripts of its package', async () => {
  const machine = newProgramMachine();

  const scripts = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'ps1' };
  for (const [shell, file] of Object.entries(scripts)) {
    const printed = await machine.run(['completion', shell]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(printed.stdout).toBe(readFileSync(path.join('completions', `storectl.${file}`), 'utf8'));
  }
  expect(await machine.run(['completion', 'install', 'tcsh'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish, powershell'),
  });
});

describe('bash', () => {
  /** What is offered for a command line with the cursor at its end. */
  function completions(
    line: string,
    machine: ProgramMachine = newProgramMachine(),
    program = shellWord(launcher),
  ) {
    const script = `set -u
      storectl() { '${testNode}' ${program} "$@"; }
      source ${shellWord(path.resolve('completions/storectl.bash'))}
      COMP_LINE='${line}' COMP_POINT=\${#COMP_LINE} COMP_WORDS=(\${COMP_LINE##*[ =]}) COMP_CWORD=0
      _storectl storectl; printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"`;
    const { env, folder: cwd } = machine;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { cwd, env, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((text) => text !== '');
  }

  test.each([
    ['storectl di', ['disputes']],
    ['storectl help ba', ['backup']],
    ['storectl --demo backup ', ['create', 'restore', 'list', 'show']],
    ['storectl --profile x  backup c', ['create']],
    ['storectl backup create --sec', ['--sections']],
    ['storectl backup create --sections ', [...sectionNames]],
    ['storectl backup create --sections store,b', ['store,blog']],
    // Readline cuts at = and :, and replaces only what follows.
    ['storectl backup create --sections=store,b', ['store,blog']],
    ['storectl --base-url http://x:80 history list --state un', ['unknown']],
    ['storectl backup create --label ', []],
    ['storectl store update --name --ti', []],
    ['storectl service keys create --preset c', ['ci-backup']],
    ['storectl disputes decide --fields id,res', ['id,resolution']],
    ['storectl api P', ['POST', 'PUT', 'PATCH']],
    ['storectl -- ba', ['backup']],
    ['storectl completion ', ['install', 'bash', 'zsh', 'fish', 'powershell']],
  ])('%s', (line, expected) => {
    expect(completions(line)).toEqual(expected);
  });

  test('files where a file is wanted', () => {
    const machine = newProgramMachine();
    writeFileSync(path.join(machine.folder, 'my decisions.csv'), '');

    expect(completions('storectl disputes decide --from my', machine)).toEqual(['my decisions.csv']);
    expect(completions('storectl disputes decide --from=my', machine)).toEqual(['my decisions.csv']);
    expect(completions('storectl blog create my', machine)).toEqual(['my decisions.csv']);
  });

  test('a program that fails offers nothing and shows nothing', () => {
    expect(completions('storectl di', newProgramMachine(), `-e 'throw new Error()'`)).toEqual([]);
  });
});
