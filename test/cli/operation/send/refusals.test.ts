import { expect, test } from 'vitest';
import { setScene } from '../../../helpers/scene.ts';

test('the same post from several commands at once is created once', async () => {
  const { machine } = await setScene();
  const args = ['blog', 'create', '--title', 'Spring sale', '--content-md', 'All inks off.', '--json'];

  const results = await Promise.all(Array.from({ length: 5 }, () => machine.run(args)));

  const created = results.filter(({ exitCode }) => exitCode === 0);
  const refused = results.filter(({ exitCode }) => exitCode === 6);
  expect([created.length, refused.length]).toEqual([1, 4]);
  for (const { stderr } of refused) {
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'already_sent', outcome: 'not_sent' });
  }
});

test('a repeated appeal, endpoint and post are refused, and the flag named in the hint sends them', async () => {
  const { service, machine } = await setScene();
  const reclaimId = service.example.reclaims[0]?.id ?? '';
  const url =
    'https://discord.com/api/webhooks/123456789012345678/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz012345';
  for (const { args, flag } of [
    {
      args: ['reclaim', 'appeal', reclaimId, '--text', 'We are open', '--confirm', reclaimId],
      flag: '--resubmit',
    },
    { args: ['blog', 'create', '--title', 'T', '--content-md', 'x'], flag: '--allow-duplicate' },
    {
      args: ['notify', 'add-endpoint', '--name', 'Team', '--url', url, '--events', 'feedback_digest'],
      flag: '--allow-duplicate',
    },
  ]) {
    expect(await machine.run(args), args.join(' ')).toMatchObject({ exitCode: 0 });
    const again = await machine.run(args);
    expect(again.exitCode).toBe(6);
    expect(again.stderr).toContain('nothing was sent');
    expect(again.stderr).toContain(flag);
    // What the service says of a second one is its own business; it was asked.
    expect((await machine.run([...args, flag])).stderr).not.toContain('you sent');
  }
});
