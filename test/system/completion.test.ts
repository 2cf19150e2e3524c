import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProgramMachine, type ProgramMachine, programLine, shellWord } from '../helpers/program.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

/** Puts `storectl` on the path of a machine, as an installation does. */
function install(machine: ProgramMachine): Record<string, string> {
  const folder = path.join(machine.folder, 'bin');
  mkdirSync(folder);
  const script = `#!/bin/sh\nexec ${programLine} "$@"\n`;
  writeFileSync(path.join(folder, 'storectl'), script, { mode: 0o755 });
  // A shell that ends after the test would write its history into a folder that is being removed.
  return { ...machine.env, HISTFILE: '', PATH: `${folder}:${machine.env.PATH}` };
}

const start = {
  bash: 'exec bash --norc --noprofile',
  zsh: 'exec zsh -f',
  fish: 'exec fish --no-config',
};

const load = {
  bash: "PS1='> '; source <(storectl completion bash)",
  zsh: "PS1='> '; autoload -U compinit && compinit -u -D; source <(storectl completion zsh)",
  fish: "function fish_prompt; echo -n '> '; end; storectl completion fish | source",
};

const shells = ['bash', 'zsh', 'fish'] as const;

/** A terminal in which the shell has loaded its script. */
async function openShell(shell: (typeof shells)[number], machine: ProgramMachine): Promise<Terminal> {
  const terminal = await openTerminal(machine.folder, install(machine));
  terminal.type(start[shell]);
  await terminal.typeAt(/[$%>#] ?$/, `${load[shell]}; clear; echo ready`);
  await terminal.shows(/^ready\n>/);
  return terminal;
}

test.for(shells)('%s completes commands, ids and lists', async (shell) => {
  const machine = newProgramMachine();
  const opened = await machine.run(['--demo', 'disputes', 'open', '--reason', 'Parcel never arrived', '-q']);
  const dispute = opened.stdout.trim();
  const terminal = await openShell(shell, machine);

  const clearLine = async () => {
    terminal.press('C-u');
    await terminal.shows(/\n>$/);
  };
  terminal.press('storectl di', 'Tab');
  await terminal.shows(/^> storectl disputes/m);
  await clearLine();

  terminal.press(`storectl --demo disputes decide ${dispute.slice(0, 4)}`, 'Tab');
  await terminal.shows(new RegExp(`^> storectl --demo disputes decide ${dispute}`, 'm'));
  await clearLine();

  // Ids are listed with what they stand for.
  await machine.run(['--demo', 'disputes', 'open', '--reason', 'Another one']);
  terminal.press('storectl --demo disputes show ', ...Array<string>(shell === 'bash' ? 3 : 2).fill('Tab'));
  // Fish cuts the beginning off, because it is the same for both.
  await terminal.shows(new RegExp(`${dispute.slice(1)}.*due in 7 days, Parcel never arrived`));
  terminal.press('C-c');
  // A shell drops what is typed while it handles the interrupt.
  await terminal.shows(/\n>$/);

  // One Tab lists them in zsh and fish; a second one would still run when the interrupt comes.
  terminal.press('storectl backup create --sections ', ...(shell === 'bash' ? ['Tab', 'Tab'] : ['Tab']));
  expect(await terminal.shows(/endpoints/)).toMatch(/store.*blog|blog.*store|store\s+blog/s);
  terminal.press('C-c');
  await terminal.shows(/\n>$/);

  terminal.press('storectl backup create --sections=store,bl', 'Tab');
  await terminal.shows(/--sections=store,blog/);
  await clearLine();

  writeFileSync(path.join(machine.folder, 'my decisions.csv'), '');
  terminal.press('storectl disputes decide --from my', 'Tab');
  await terminal.shows(/--from (my\\ decisions\.csv|'my decisions\.csv')/);
});

const startupFiles = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' };

/** What the users of each shell have in their startup file. */
const startups = {
  bash: "PS1='> '\n",
  zsh: "PS1='> '\nautoload -Uz compinit && compinit -u -D\n",
  fish: "function fish_prompt; echo -n '> '; end\n",
};

/** Whether Tab completes in a new shell that reads its startup file. */
async function completes(shell: (typeof shells)[number], env: Record<string, string>): Promise<boolean> {
  const terminal = await openTerminal(env.HOME ?? '', env);
  terminal.type(`exec ${shell}`);
  await terminal.typeAt(/[$%>#] ?$/, 'clear; echo ready');
  await terminal.shows(/^ready\n>/);
  terminal.press('storectl disp', 'Tab', ' sh', 'Tab', 'x');
  return / disputes +show +x$/.test(await terminal.shows(/x$/));
}

test.for(shells)('completion install makes %s complete, and --remove takes it back', async (shell) => {
  const machine = newProgramMachine();
  const env = { ...install(machine), HOME: machine.folder, SHELL: `/bin/${shell}` };
  const startup = path.join(machine.folder, startupFiles[shell]);
  mkdirSync(path.dirname(startup), { recursive: true });
  // Without a line end: a line that is added must not continue it.
  const before = startups[shell].trimEnd();
  writeFileSync(startup, before);
  const run = (...args: string[]) =>
    spawnSync('storectl', ['completion', 'install', ...args], { env, encoding: 'utf8', cwd: machine.folder });
  expect(await completes(shell, env)).toBe(false);

  const installed = run();
  expect(installed).toMatchObject({ status: 0, stdout: '' });
  expect(installed.stderr).toContain(`✓ Installed completion for ${shell}\n  ${machine.folder}`);
  expect(await completes(shell, env)).toBe(true);
  expect(run(shell).stderr).toContain(`Already installed for ${shell}.`);

  const removed = run('--remove');
  expect(removed).toMatchObject({ status: 0, stdout: '' });
  expect(removed.stderr).toContain(`✓ Removed completion for ${shell}\n  ${machine.folder}`);
  expect(readFileSync(startup, 'utf8').trimEnd()).toBe(before);
  expect(await completes(shell, env)).toBe(false);
  expect(run(shell, '--remove').stderr).toBe(`Nothing is installed for ${shell}.\n`);
});

test.each([
  ['before compinit', 'source <(storectl completion zsh)\nautoload -Uz compinit && compinit -u -D\n'],
  ['without compinit', 'source <(storectl completion zsh)\n'],
])('the zsh script works %s', async (_name, lines) => {
  const machine = newProgramMachine();
  const env = { ...install(machine), HOME: machine.folder };
  writeFileSync(path.join(machine.folder, '.zshrc'), `PS1='> '\n${lines}`);

  expect(await completes('zsh', env)).toBe(true);
});

test.for(shells)('%s shows nothing of a program that fails, or is gone', async (shell) => {
  const machine = newProgramMachine();
  const terminal = await openShell(shell, machine);
  const program = path.join(machine.folder, 'bin', 'storectl');

  writeFileSync(program, '#!/bin/sh\necho "Error: out of order" >&2\nexit 1\n');
  terminal.press('storectl di', 'Tab', 'sputes');
  expect(await terminal.shows(/disputes$/)).toBe('ready\n> storectl disputes');
  terminal.press('C-u');

  rmSync(program);
  terminal.press('storectl ba', 'Tab', 'ckup');
  expect(await terminal.shows(/backup$/)).toBe('ready\n> storectl backup');
});

test('the fish script offers words with what they mean', () => {
  const machine = newProgramMachine();
  const lines = [
    'storectl di',
    'storectl backup create --sec',
    'storectl backup create --sections=store,b',
    'storectl --profile x disputes decide --status ',
    'storectl backup create --label ',
  ];
  const script = [
    `source ${shellWord(path.resolve('completions/storectl.fish'))}`,
    ...lines.map((line) => `complete -C '${line}'; echo end`),
  ].join('\n');

  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    env: install(machine),
    encoding: 'utf8',
  });

  expect(stderr).toBe('');
  expect(stdout.split('end\n')).toEqual([
    'disputes\tShow, open, decide and list disputes\n',
    expect.stringMatching(/^--sections\tSections to back up: store .*\n$/),
    '--sections=store,blog\n',
    'won\nlost\nwithdrawn\n',
    '',
    '',
  ]);
});
