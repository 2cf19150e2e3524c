import { describe, expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';

const target = { origin: 'https://api.example.com', storeId: 'store-1', apiKey: 'some-long-key' };

const post = ['blog', 'create', '--title', 'Sale', '--content-md', 'x'];

describe('a value that cannot work is refused before anything is shown or sent', () => {
  test.each([
    [
      ['settings', 'save', '--quiet-hours-timezone', 'Mars/Base'],
      '--quiet-hours-timezone must be an IANA time zone such as Europe/Berlin (got "Mars/Base")',
    ],
    [
      ['store', 'update', '--set', 'timezone=berlin'],
      '--timezone must be an IANA time zone such as Europe/Berlin (got "berlin"; did you mean Europe/Berlin?)',
    ],
    [
      ['store', 'update', '--default-currency', 'eur'],
      '--default-currency must be an ISO 4217 currency such as EUR (got "eur"; did you mean EUR?)',
    ],
    [
      ['store', 'update', '--brand-color', 'ff00aa'],
      '--brand-color must be a color such as #0a7cff (got "ff00aa"; did you mean #ff00aa?)',
    ],
    [
      ['store', 'update', '--slug', 'Café No 7'],
      '--slug must be 1 to 63 lowercase letters, digits or hyphens, without a hyphen at either end or two as the third and fourth, and no reserved name such as www (got "Café No 7"; did you mean cafe-no-7?)',
    ],
    [
      ['settings', 'save', '--quiet-hours-start', '9:00'],
      '--quiet-hours-start must be a time of day such as 22:00 (got "9:00"; did you mean 09:00?)',
    ],
    [
      [...post, '--slug', 'A B'],
      '--slug must be 1 to 120 lowercase letters and digits, with single hyphens between words (got "A B"; did you mean a-b?)',
    ],
  ])('%j', async (args, message) => {
    const { exitCode, stdout, stderr } = await machineFor(target).run([...args, '--dry-run']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`error: ${message}\n`);
  });

  test('all of them at once', async () => {
    const { stderr } = await machineFor(target).run([
      ...['store', 'update', '--timezone', 'x', '--discord-url', 'discord.gg/x', '--support-email', 'y'],
    ]);

    expect(stderr).toMatch(
      /invalid values:\n {2}--support-email .*\n {2}--timezone .*\n {2}--discord-url .*\n/,
    );
  });

  test('null clears a field', async () => {
    const { exitCode } = await machineFor(target).run([
      ...['store', 'update', '--set', 'settings.brandColor=null', '--dry-run'],
    ]);

    expect(exitCode).toBe(0);
  });
});

describe('what another service may take is sent; a dry run warns of it', () => {
  test.each([
    [
      ['store', 'update', '--cashback-bp=-1'],
      '--cashback-bp must be 0 to 10000 basis points: 250 is 2.5 % (got -1)',
    ],
    [['store', 'update', '--name', ''], '--name must have 1 to 120 characters, in one line (got "")'],
    [
      ['backup', 'create', '--label', 'x', '--sections', 'store', '--set', 'lable=y'],
      'lable is not a field that storectl knows (did you mean label?); it is sent as it is',
    ],
    [
      ['store', 'update', '--set', 'cashbackBp=3'],
      'cashbackBp is not a field that storectl knows (did you mean settings.cashbackBp?); it is sent as it is',
    ],
  ])('%j', async (args, warning) => {
    const { exitCode, stderr } = await machineFor(target).run([...args, '--dry-run']);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(`warning: ${warning}\n`);
  });
});

describe('a field that the store does not have', () => {
  test('is refused where it stands in the wrong place', async () => {
    const { machine } = await setScene();
    const args = ['store', 'update', '--set', 'cashbackBp=3'];

    const { exitCode, stderr } = await machine.run(args);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'error: cashbackBp is not a field of the store (did you mean settings.cashbackBp?)\n',
    );
    expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
  });

  test('is shown apart, without a word on what it was', async () => {
    const { machine } = await setScene();

    const { stderr } = await machine.run(['store', 'update', '--name', 'Outlet', '--set', 'loyalty.level=3']);

    expect(stderr).toMatch(
      /^Name {2}Outlet {2}\(was .*\)\n\nNot fields that storectl knows:\nloyalty\.level {2}3\n/m,
    );
    expect(stderr).not.toContain('was not set');
  });
});
