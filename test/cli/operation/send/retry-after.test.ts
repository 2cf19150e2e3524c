import { expect, test } from 'vitest';
import { answer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';

const values = ['99999999999999999999', '31536000', 'Fri, 31 Dec 9999 23:59:59 GMT'];

test.each(values)('a service that asks to wait %s: said at once, with a time', async (value) => {
  for (const [status, exitCode] of [
    [429, 8],
    [503, 10],
  ] as const) {
    const { server, machine } = await setScene({ answers: [answer(status, {}, { 'retry-after': value })] });

    const created = await machine.run(['backup', 'create', '--label', 'a', '--sections', 'store', '--json']);
    const resumed = await machine.run(['resume']);

    expect(created.exitCode, created.stderr).toBe(exitCode);
    expect(created.stderr).toMatch(/"retryAt": ?"\d{4}-\d\d-\d\dT/);
    expect(server.requests.length).toBeLessThanOrEqual(2);
    expect(created.stderr + resumed.stderr).not.toContain('Invalid time value');
  }
});
