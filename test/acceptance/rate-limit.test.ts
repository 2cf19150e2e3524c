import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { programMachineFor } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';

test('a batch, and the same again, stay below the limit that the service says, without being refused first', {
  timeout: 60_000,
}, async () => {
  const service = await startService({ rateLimit: { perSecond: 20, burst: 40 } });
  const machine = programMachineFor(service);
  mkdirSync(machine.folder, { recursive: true });
  for (let number = 0; number < 60; number += 1)
    writeFileSync(path.join(machine.folder, `post-${number}.md`), `---\ntitle: Post ${number}\n---\nInk.\n`);
  const files = Array.from({ length: 60 }, (_, number) => `post-${number}.md`);
  const create = ['blog', 'create', '--allow-duplicate', '--debug'];

  const first = await machine.run([...create, ...files]);
  const again = await machine.run([...create, ...files, '--status', 'published']);

  for (const { exitCode, stderr } of [first, again]) {
    expect(stderr).toMatch(/< (201|409) after/);
    expect(stderr).not.toMatch(/< 429 after/);
    expect(stderr).not.toMatch(/asked to wait|Warning/);
    expect([0, 6]).toContain(exitCode);
  }
});
