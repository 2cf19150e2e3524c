import { describe, expect, test } from 'vitest';
import type { Queries } from '../../../src/service/storage/core/storage.ts';
import { listNotifications } from '../../../src/service/storage/queries/events.ts';
import { machineFor, type newMachine } from '../../helpers/cli.ts';
import { startService, type TestService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';

/** The rows of a table, as the service left them. */
function rows(service: TestService, table: Parameters<Queries['selectFrom']>[0] & string) {
  return service.storage.read((db) => db.selectFrom(table).selectAll().execute());
}

/** Everything in the database that a restore of the store section must leave alone. */
async function otherSections(service: TestService) {
  const tables = [
    'posts',
    'operationsSettings',
    'endpoints',
    'disputes',
    'disputeEvidence',
    'subdomainReclaims',
  ] as const;
  return Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await rows(service, table)] as const)),
  );
}

async function json(machine: ReturnType<typeof newMachine>, args: readonly string[]) {
  const result = await machine.run([...args, '--json']);
  expect(result).toMatchObject({ exitCode: 0 });
  return JSON.parse(result.stdout);
}

const openDisputeOf = ({ example }: TestService) =>
  example.disputes.find(({ status }) => status === 'open')?.id ?? '';

describe('every operation does its work in the service', () => {
  test('store update', async () => {
    const service = await startService();

    const store = await json(
      machineFor(service),
      typed`store update --name Juniper --cashback-bp 250
      --social discord=https://discord.gg/example --set settings.maintenanceMessage=null`,
    );

    expect(store).toMatchObject({
      id: service.storeId,
      name: 'Juniper',
      settings: { cashbackBp: 250, socials: { discord: 'https://discord.gg/example' } },
    });
    expect(await rows(service, 'stores')).toMatchObject([{ name: 'Juniper' }]);
  });

  test('blog create', async () => {
    const service = await startService();

    const post = await json(
      machineFor(service),
      typed`blog create --title Hello --content-md '# Hi' --tags a,b`,
    );

    expect(post).toMatchObject({ title: 'Hello', contentMd: '# Hi', tags: ['a', 'b'], status: 'draft' });
    expect(await rows(service, 'posts')).toContainEqual(
      expect.objectContaining({ id: post.id, contentMd: '# Hi', tags: '["a","b"]' }),
    );
  });

  test('disputes open, show and decide', async () => {
    const service = await startService();
    const machine = machineFor(service);

    const opened = await json(machine, typed`disputes open --reason 'Parcel lost' --risk-signal avs=no`);
    const shown = await json(machine, ['disputes', 'show', opened.id]);
    const decided = await json(
      machine,
      typed`disputes decide ${opened.id} --status won --resolution Found --confirm ${opened.id}`,
    );

    expect(opened).toMatchObject({ kind: 'payment', status: 'open', riskSignals: { avs: 'no' } });
    expect(shown).toEqual({ record: opened, evidence: [] });
    expect(decided).toMatchObject({ id: opened.id, status: 'won', resolution: 'Found' });
    expect(await rows(service, 'disputeDecisions')).toContainEqual(
      expect.objectContaining({ disputeId: opened.id, status: 'won' }),
    );
  });

  test('settings save and show', async () => {
    const service = await startService();
    const machine = machineFor(service);

    const saved = await json(
      machine,
      typed`settings save --quiet-hours-start 23:15 --discovery-categories ink,paper`,
    );

    expect(saved).toMatchObject({
      quietHours: { enabled: true, start: '23:15', end: '07:00' },
      discovery: { categories: ['ink', 'paper'] },
    });
    expect(await json(machine, ['settings', 'show'])).toEqual(saved);
  });

  test('backup create', async () => {
    const service = await startService();

    const backup = await json(
      machineFor(service),
      typed`backup create --label nightly --sections store,blog`,
    );

    expect(backup).toMatchObject({ label: 'nightly', sections: ['store', 'blog'] });
    expect(await rows(service, 'backups')).toMatchObject([{ id: backup.id, label: 'nightly' }]);
  });

  test('reclaim appeal', async () => {
    const service = await startService();
    const id = service.example.reclaims[0]?.id ?? '';

    const appealed = await json(
      machineFor(service),
      typed`reclaim appeal ${id} --text 'We sell ink' --confirm ${id}`,
    );

    expect(appealed).toMatchObject({ reclaimId: id, text: 'We sell ink' });
    expect(await rows(service, 'subdomainReclaims')).toMatchObject([{ id, appealText: 'We sell ink' }]);
  });

  test('notify add-endpoint', async () => {
    const service = await startService();
    const url = 'https://discord.com/api/webhooks/123/secret-token';

    const endpoint = await json(
      machineFor(service),
      typed`notify add-endpoint --name Team --url ${url} --events feedback_digest`,
    );

    expect(endpoint).toMatchObject({ kind: 'discord', name: 'Team', events: ['feedback_digest'] });
    expect(await rows(service, 'endpoints')).toContainEqual(
      expect.objectContaining({ id: endpoint.id, name: 'Team', secretUrl: url }),
    );
  });

  test('notify mark-read, some and then all', async () => {
    const service = await startService();
    const machine = machineFor(service);
    const unread = async () =>
      (await service.storage.read((db) => listNotifications({ db, storeId: service.storeId }))).flatMap(
        ({ id, read }) => (read ? [] : [id]),
      );
    const [first = '', ...others] = await unread();

    expect(await json(machine, ['notify', 'mark-read', first])).toEqual({ ok: true });
    expect(await unread()).toEqual(others);
    expect(others.length).toBeGreaterThan(0);

    expect(await json(machine, ['notify', 'mark-read', '--all'])).toEqual({ ok: true });
    expect(await unread()).toEqual([]);
  });
});

const firstValues = typed`store update --name 'First name' --cashback-bp 250 --checkout-coupon-field
  --social discord=https://discord.gg/first`;

describe('the round trip', () => {
  test('update, back up, change, restore: the first values are back and nothing else moved', async () => {
    const service = await startService();
    const machine = machineFor(service);
    const first = await json(machine, firstValues);
    const backup = await json(machine, typed`backup create --label l --sections store,blog,settings`);
    await json(machine, typed`store update --name Second --cashback-bp 1 --no-checkout-coupon-field`);
    await json(machine, ['store', 'update', '--social', 'discord=https://discord.gg/second']);
    await json(machine, ['blog', 'create', '--title', 'After the backup', '--content-md', 'stays']);
    await json(machine, ['settings', 'save', '--quiet-hours-start', '21:21']);
    const others = await otherSections(service);

    const restored = await machine.run(
      typed`backup restore ${backup.id} --sections store --confirm ${backup.id}`,
    );

    expect(restored.exitCode).toBe(0);
    const [store] = await rows(service, 'stores');
    expect(store).toMatchObject({ name: 'First name' });
    expect(JSON.parse(String(store && 'settings' in store ? store.settings : ''))).toMatchObject(
      first.settings,
    );
    expect(await otherSections(service)).toEqual(others);
  });

  test('the command that undoes the restore is printed, and undoes it', async () => {
    const service = await startService();
    const machine = machineFor(service);
    await json(machine, firstValues);
    const { id } = await json(machine, ['backup', 'create', '--label', 'l', '--sections', 'store']);
    await json(machine, ['store', 'update', '--name', 'Second']);
    const restored = await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);
    expect(await rows(service, 'stores')).toMatchObject([{ name: 'First name' }]);

    const undo = /^Undo: storectl (.+)$/m.exec(restored.stderr)?.[1]?.split(' ') ?? [];
    const undone = await machine.run([...undo, '--confirm', undo.at(-1) ?? '']);

    expect(undone).toMatchObject({ exitCode: 0 });
    expect(await rows(service, 'stores')).toMatchObject([{ name: 'Second' }]);
  });

  test('a section that the backup lacks: 422, and nothing changes', async () => {
    const service = await startService();
    const machine = machineFor(service);
    const { id } = await json(machine, ['backup', 'create', '--label', 'l', '--sections', 'store']);
    await json(machine, ['store', 'update', '--name', 'Second']);
    const before = { stores: await rows(service, 'stores'), ...(await otherSections(service)) };

    // Another machine does not know what is in the backup.
    const result = await machineFor(service).run(
      typed`backup restore ${id} --sections store,blog --confirm ${id} --no-safety-backup`,
    );

    expect(result).toMatchObject({ exitCode: 7, stdout: '' });
    expect(result.stderr).toContain('the service rejected the request (422');
    expect({ stores: await rows(service, 'stores'), ...(await otherSections(service)) }).toEqual(before);
    expect(await rows(service, 'backups')).toHaveLength(1);
  });
});

describe('the same idempotency key', () => {
  const create = ['backup', 'create', '--sections', 'store', '--idempotency-key', 'nightly-1'];

  test('gives the same backup, from this machine and from another', async () => {
    const service = await startService();
    const machine = machineFor(service);

    const first = await machine.run([...create, '--label', 'a', '-q']);
    const second = await machine.run([...create, '--label', 'a', '-q']);
    const elsewhere = await machineFor(service).run([...create, '--label', 'a', '-q']);

    expect(first.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect([second.stdout, elsewhere.stdout]).toEqual([first.stdout, first.stdout]);
    expect(await rows(service, 'backups')).toHaveLength(1);
  });

  test('with other arguments is refused here, before anything is sent', async () => {
    const service = await startService();
    const machine = machineFor(service);
    await machine.run([...create, '--label', 'a']);

    const result = await machine.run([...create, '--label', 'b', '--json']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await rows(service, 'backups')).toHaveLength(1);
  });

  test('with other arguments from another machine is refused by the service: 422, exit 7', async () => {
    const service = await startService();
    await machineFor(service).run([...create, '--label', 'a']);

    const result = await machineFor(service).run([...create, '--label', 'b', '--json']);

    expect(result).toMatchObject({ exitCode: 7, stdout: '' });
    expect(JSON.parse(result.stderr.split('\n').at(-2) ?? '')).toMatchObject({
      error: { code: 'idempotency_key_reused', status: 422, outcome: 'rejected' },
    });
    expect(await rows(service, 'backups')).toHaveLength(1);
  });
});

describe('deciding', () => {
  test('the same decision again sends nothing and says so', async () => {
    const service = await startService();
    const machine = machineFor(service);
    const id = openDisputeOf(service);
    const decide = ['disputes', 'decide', id, '--resolution', 'r', '--confirm', id, '--status'];
    await json(machine, [...decide, 'won']);

    const again = await json(machine, [...decide, 'won']);
    const otherwise = await machine.run([...decide, 'lost', '--json']);

    expect(again).toMatchObject({ id, status: 'won', changed: false });
    expect(otherwise).toMatchObject({ exitCode: 6, stdout: '' });
    expect(
      await service.storage.read((db) =>
        db.selectFrom('disputeDecisions').selectAll().where('disputeId', '=', id).execute(),
      ),
    ).toHaveLength(1);
  });

  test('the dispute is shown with its evidence before it is decided', async () => {
    const service = await startService();
    const id = openDisputeOf(service);

    const { stderr } = await machineFor(service).run(
      typed`disputes decide ${id} --status won --resolution r --confirm ${id}`,
    );

    expect(stderr).toContain('tracking_number');
    expect(stderr).toContain('00340434161094042557');
    expect(stderr).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d) \(in \d days\)/);
  });

  test.each(['disputes decide', 'backup restore', 'reclaim appeal'])(
    '%s with another id in --confirm sends nothing',
    async (name) => {
      const service = await startService();
      const input = {
        'disputes decide': ['--status', 'won', '--resolution', 'r'],
        'backup restore': ['--sections', 'store'],
        'reclaim appeal': ['--text', 't'],
      }[name];

      const result = await machineFor(service).run([
        ...name.split(' '),
        'one-id',
        ...(input ?? []),
        '--confirm',
        'another-id',
        '--debug',
      ]);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('--confirm another-id does not match one-id');
      expect(result.stderr).not.toContain('> ');
    },
  );
});

test('another machine with a key of another preset is refused what it may not do', async () => {
  const service = await startService();
  const apiKey = await service.makeKey('ci-backup');
  const machine = machineFor({ ...service, apiKey });

  const backup = await machine.run(['backup', 'create', '--label', 'l', '--sections', 'store']);
  const update = await machine.run(['store', 'update', '--name', 'x', '--json']);

  expect(backup.exitCode).toBe(0);
  expect(update).toMatchObject({ exitCode: 4, stdout: '' });
  expect(JSON.parse(update.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
    code: 'insufficient_scope',
    status: 403,
  });
});
