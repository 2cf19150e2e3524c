import { expect, test } from 'vitest';
import { newMachine } from '../../../helpers/cli.ts';
import { startService } from '../../../helpers/service.ts';

const save = ['settings', 'save', '--quiet-hours-start'];

test('the command that undoes a change names no more than it needs, and works as printed', async () => {
  const { origin, storeId, apiKey } = await startService();
  const machine = newMachine();
  for (const profile of ['main', 'second']) {
    const login = ['auth', 'login', '--profile', profile, '--base-url', origin, '--store', storeId];
    expect(await machine.run([...login, '--with-key'], { stdin: apiKey })).toMatchObject({ exitCode: 0 });
  }
  await machine.run(['profile', 'use', 'main']);
  const target = ['--profile', 'new', '--store', storeId, '--base-url', origin];
  const env = { STORECTL_API_KEY: apiKey };

  const flagsIn = ({ stderr }: { readonly stderr: string }) =>
    /^Undo: storectl (.*)undo \S+$/m.exec(stderr)?.[1]?.trim();
  for (const [flags, expected] of [
    [[], ''],
    [['--profile', 'main'], ''],
    [['--profile', 'second'], '--profile second'],
    [target, target.join(' ')],
  ] as const) {
    const options = flags === target ? { env } : {};
    const saved = await machine.run([...flags, ...save, '21:00'], options);
    expect(flagsIn(saved)).toBe(expected);
    const [, undo = ''] = /^Undo: storectl (.*)$/m.exec(saved.stderr) ?? [];
    expect(await machine.run(undo.split(' '), options)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('21:00 → 22:00'),
    });
  }
});
