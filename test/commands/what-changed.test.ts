import { expect, test } from 'vitest';
import { answer, type Behaviour } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

const backupId = 'ada1577f-64c8-4439-84ae-ac01e33ba1fa';

/** The lines of stderr after the one that says where the change goes. */
function notices({ stderr }: { readonly stderr: string }): string[] {
  return stderr.trimEnd().split('\n').slice(1);
}

const update = (cashback: string) => ['store', 'update', '--name', 'A & B', '--cashback-bp', cashback];

test('store update shows what it sets beside what the store has, and says how to undo it', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'A & B', '--cashback-bp', '250']);

  const result = await machine.run(update('300'));

  expect(result.stdout).toBe('Name      A & B\nCashback  300 bp (3 %)\n');
  expect(notices(result)).toEqual([
    'Name      A & B',
    'Cashback  300 bp (3 %)  (was 250 bp (2.5 %))',
    '✓ Updated store "A & B"',
    expect.stringMatching(/^Undo: storectl undo \S+$/),
  ]);
});

test('store update of a service that cannot be asked shows what was seen as seen, and says before whether it can be undone', async () => {
  const shown = (cashbackBp: number) => answer(200, { name: 'A & B', settings: { cashbackBp } });
  const { machine } = await setScene({ answers: [shown(250), shown(300)] });

  const first = await machine.run(update('250'));
  const second = await machine.run(update('300'));

  expect(notices(first)).toEqual([
    'This change cannot be undone: this machine has not seen the current values. To be able to go back, run `storectl backup create --sections store` first.',
    'Name      A & B',
    'Cashback  250 bp (2.5 %)',
    '✓ Updated store "A & B"',
  ]);
  expect(notices(second)).toEqual([
    'Name      A & B',
    'Cashback  300 bp (3 %)  (was 250 bp (2.5 %), last seen just now)',
    '✓ Updated store "A & B"',
    expect.stringMatching(/^Undo: storectl undo \S+$/),
  ]);
});

test('a backup that this machine knows is not restored with sections that it does not have', async () => {
  const { machine } = await setScene();
  const create = ['backup', 'create', '--label', 'before sale', '--sections', 'store,blog', '-q'];
  const id = (await machine.run(create)).stdout.trim();
  const restore = ['backup', 'restore', id.slice(0, 20), '--sections', 'store,endpoints', '--confirm', id];

  const refused = await machine.run(restore);

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /^error: backup "before sale" has no section endpoints; it has store, blog\n.*\n$/,
  );
  expect(await machine.run([...restore, '--dry-run'])).toEqual(refused);
  expect(JSON.parse((await machine.run(['backup', 'list', '--json'])).stdout)).toHaveLength(1);
});

test('a restore says before it is sent that newer posts go, and that an id does not exist', async () => {
  const { machine } = await setScene();
  const made = await machine.run(['backup', 'create', '--label', 'x', '--sections', 'store,blog', '-q']);
  await machine.run(['blog', 'create', '--title', 'P', '--content-md', 'p']);
  const before = async (id: string, sections: string) =>
    (await machine.run(['backup', 'restore', id, '--sections', sections, '--confirm', id])).stderr;

  expect(await before(made.stdout.trim(), 'store,blog')).toMatch(
    /replaces the store and blog sections of store .* with backup \S+ \("x", just now\)\. A safety backup is taken first: undo goes back to it\.\nStore +unchanged\nPosts +1 removed\n/,
  );
  expect(await before(made.stdout.trim(), 'store')).not.toContain('Posts');
  const unknown = '5f0cbead-0000-4000-8000-000000000009';
  const wrong = await before(unknown, 'store');
  expect(wrong).toContain(`backup ${unknown} not found in store`);
  expect(wrong).toContain('run `storectl backup list` to see known ids');
});

test('the history says which change an undo takes back', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'A']);
  const { stderr } = await machine.run(['store', 'update', '--name', 'B']);
  const id = /Undo: storectl undo (\S+)/.exec(stderr)?.[1] ?? '';
  await machine.run(['undo', id]);
  expect((await machine.run(['history', 'list'])).stdout).toMatch(
    new RegExp(`store\\.update +undo of ${id} `),
  );
});

test('the label of a safety backup names what was restored: a safety backup by its id and time, so labels do not nest', async () => {
  const { machine } = await setScene();
  const { stdout } = await machine.run(['backup', 'create', '--label', 'x', '--sections', 'store', '-q']);
  const id = stdout.trim();
  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);
  const newest = async () =>
    JSON.parse((await machine.run(['backup', 'list', '--json'])).stdout).find(
      (backup: { automatic: boolean }) => !backup.automatic,
    );
  const safety = await newest();
  expect(safety.label).toBe('Safety: x');

  await machine.run(['backup', 'restore', safety.id, '--sections', 'store', '--confirm', safety.id]);

  expect((await newest()).label).toMatch(
    /^Safety: before restoring [\da-f]{8} \(\d{4}-\d\d-\d\d \d\d:\d\d \S+\)$/,
  );
  expect((await newest()).label).toContain(` ${safety.id.slice(0, 8)} `);
});

test.each(['{}', '{ "rows": 12345678901234567890 }\n', '{"safetyBackupId":"theirs"}', '["b-2"]'])(
  'a restore that the service answers with %j prints it in --json',
  async (sent) => {
    const backup = { id: 'b-2', label: 'Safety', sections: ['store'] };
    const raw: Behaviour = {
      does: 'raw',
      bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${sent.length}\r\nconnection: close\r\n\r\n${sent}`,
    };
    const { machine } = await setScene({ answers: [answer(201, backup), raw] });
    const args = typed`backup restore ${backupId} --sections store --confirm ${backupId} --json`;

    const { exitCode, stdout } = await machine.run(args);

    expect({ exitCode, stdout: stdout.replace(/\s/g, '') }).toEqual({
      exitCode: 0,
      stdout: sent.replace(/\s/g, ''),
    });
  },
);

test('a restore says what the response says that it changed, and nothing else', async () => {
  const backup = { id: 'b-2', sections: ['store', 'settings', 'blog'] };
  const sections = {
    store: { changed: ['name', 'settings.cashbackBp'] },
    settings: { changed: [] },
    blog: { removed: 2, returned: 0 },
  };
  const { machine } = await setScene({
    answers: [
      answer(201, backup),
      answer(200, { backupId, sections }),
      answer(201, backup),
      answer(200, { backupId }),
    ],
  });
  const restore = typed`backup restore ${backupId} --sections store,settings,blog --confirm ${backupId}`;

  const shown = await machine.run(restore);
  const silent = await machine.run(restore);

  expect(shown).toMatchObject({
    exitCode: 0,
    stdout: 'Store     restored: Name, Cashback\nSettings  unchanged\nPosts     2 removed\n',
  });
  expect(silent).toMatchObject({ exitCode: 0, stdout: '' });
});
