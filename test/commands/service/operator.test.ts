import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newMachine } from '../../helpers/cli.ts';
import { typed } from '../../helpers/typed.ts';

test.each([
  'postgress://op:S3cretPw@127.0.0.1/db',
  'postgres:/op:S3cretPw@127.0.0.1/db',
  'mysql://op:S3cretPw@h/db',
  'op:S3cretPw@db.example/shop',
  '10.0.0.7:5432/S3cretPw',
  'hostname=db.example password=S3cretPw',
  'host=127.0.0.1 password=S3cretPw "',
  'postgres://op:S3cretPw@127.0.0.1:x/db',
  'postgres://op:S3cretPw@127.0.0.1:99999/db',
  'S3cretPw\nhost=db.example',
])('a database URL like %s is refused: no password is printed, and no file is made of it', async (url) => {
  const machine = newMachine();

  const { exitCode, stdout, stderr } = await machine.run(
    typed`service keys list --store s --database ${url}`,
  );

  expect(exitCode).toBe(2);
  expect(stdout + stderr).not.toContain('S3cretPw');
  expect(readdirSync(machine.folder)).toEqual([]);
});

test('keys of one store are neither rotated nor revoked for another, and a key given as an id is not repeated', async () => {
  const machine = newMachine();
  const run = async (...args: string[]) => {
    const result = await machine.run(['service', ...args]);
    return { ...result, text: result.stdout.trim() };
  };
  const mine = (await run('stores', 'create', '--name', 'Mine', '-q')).text;
  const other = (await run('stores', 'create', '--name', 'Other', '-q')).text;
  const created = JSON.parse((await run('keys', 'create', '--store', mine, '--json')).text);

  for (const verb of ['rotate', 'revoke']) {
    const confirm = (id: string) => (verb === 'revoke' ? [id, '--confirm', id] : [id]);
    const elsewhere = await run('keys', verb, ...confirm(created.id), '--store', other);
    expect(elsewhere).toMatchObject({ exitCode: 5, text: '' });
    const mistaken = await run('keys', verb, created.key);
    expect(mistaken.exitCode).toBe(verb === 'revoke' ? 2 : 5);
    expect(mistaken.stderr).not.toContain(created.key);
  }
  const rotated = await run('keys', 'rotate', created.id, '--store', mine);
  expect(rotated.exitCode).toBe(0);
  expect(rotated.stderr).toContain('never expires');
  // It now expires with the overlap, which no other key must inherit.
  expect(await run('keys', 'rotate', created.id)).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('is already replaced by'),
  });
  expect(await run('keys', 'revoke', created.id, '--confirm', created.id, '--store', mine)).toMatchObject({
    exitCode: 0,
  });
});
