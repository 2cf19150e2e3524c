import { describe, expect, test } from 'vitest';
import { createKey, type Scope } from '../../../src/service/index.ts';
import { openService, type Service } from '../helpers/service.ts';
import { backUp, make, page, read, restore } from './read-pages.ts';

describe('backups', () => {
  const endpoint = (number: number) => ({
    kind: 'discord',
    name: `E${number}`,
    url: `https://discord.com/api/webhooks/${number}/secret`,
    events: ['post_created'],
  });

  /** A store with a backup of all sections, and changed since. */
  async function changedStore() {
    const service = await openService();
    await service.call('store.update', '', {
      name: 'Old',
      settings: { description: 'D', tax: { rateBp: 1 } },
    });
    await service.call('settings.save', '', { discovery: { summary: 'Old' } });
    await service.call('notify.add-endpoint', '', endpoint(1));
    await make(service, 'blog.list');
    const empty = await backUp(service, ['endpoints']);
    const id = await backUp(service, ['endpoints', 'store', 'settings', 'blog']);
    const patch = { name: 'New', settings: { description: null, tax: { rateBp: 2 } } };
    await service.call('store.update', '', patch);
    await service.call('settings.save', '', { discovery: { summary: 'New' } });
    await service.call('notify.add-endpoint', '', endpoint(2));
    for (let count = 0; count < 3; count++) await make(service, 'blog.list');
    return { service, id, empty };
  }

  const show = async (service: Service, target: string, scopes?: readonly Scope[]) => {
    const { storage, storeId } = service;
    const key = scopes && (await createKey(storage, { storeId, scopes })).key;
    return (await read(service, 'backup.show', {}, { target, ...(key !== undefined && { key }) })).body;
  };

  test('the list says which ones restores have made', async () => {
    const service = await openService();
    const id = await backUp(service, ['store', 'blog']);
    const { preRestoreBackupId } = (await restore(service, id, ['blog'])).body;
    const { items } = await page(service, 'backup.list');

    expect(items).toMatchObject([
      { id: preRestoreBackupId, sections: ['blog'], automatic: true },
      { id, version: 1, label: 'L', sections: ['store', 'blog'], automatic: false },
    ]);
    expect(Object.keys(items[1] ?? {}).sort()).toEqual([
      'automatic',
      'createdAt',
      'id',
      'label',
      'sections',
      'version',
    ]);
  });

  test('one says what restoring it would change, which is what the restore changes', async () => {
    const { service, id } = await changedStore();
    const shown = await show(service, id);
    const restored = await restore(service, id, ['store', 'blog', 'settings', 'endpoints']);

    expect(shown.restoring).toEqual({
      store: {
        changed: [
          { path: 'name', from: 'New', to: 'Old' },
          { path: 'settings.description', from: null, to: 'D' },
          { path: 'settings.tax.rateBp', from: 2, to: 1 },
        ],
        slugTaken: false,
      },
      settings: { changed: [{ path: 'discovery.summary', from: 'New', to: 'Old' }] },
      blog: { removed: 3, returned: 0 },
      endpoints: { removed: 1, returned: 0 },
    });
    const { store, settings, blog, endpoints } = restored.body.sections;
    const paths = (changes: readonly { readonly path: string }[]) => changes.map(({ path }) => path);
    expect(paths(shown.restoring.store.changed)).toEqual(store.changed);
    expect(paths(shown.restoring.settings.changed)).toEqual(settings.changed);
    expect(shown.restoring).toMatchObject({ blog, endpoints });
    const again = await show(service, id);
    expect(again.restoring).toEqual({
      store: { changed: [], slugTaken: false },
      settings: { changed: [] },
      blog: { removed: 0, returned: 0 },
      endpoints: { removed: 0, returned: 0 },
    });
    const back = await show(service, restored.body.preRestoreBackupId);
    expect(back).toMatchObject({
      automatic: true,
      restoring: { blog: { removed: 0, returned: 3 }, endpoints: { removed: 0, returned: 1 } },
    });
  });

  test('it says so of its sections only', async () => {
    const { service, empty } = await changedStore();

    expect((await show(service, empty)).restoring).toEqual({ endpoints: { removed: 1, returned: 0 } });
  });

  test('settings that were never saved are the defaults', async () => {
    const service = await openService();
    const id = await backUp(service, ['settings']);
    await service.call('settings.save', '', { mobilePrivacy: { hideRevenue: true } });

    expect((await show(service, id)).restoring).toEqual({
      settings: { changed: [{ path: 'mobilePrivacy.hideRevenue', from: true, to: false }] },
    });
  });

  test('values are shown to a key that may read them, names to any', async () => {
    const { service, id } = await changedStore();
    const { restoring: none } = await show(service, id, ['backups:read']);
    const { restoring: both } = await show(service, id, ['backups:read', 'store:read', 'settings:read']);
    const { restoring: one } = await show(service, id, ['backups:read', 'settings:read']);

    const paths = [{ path: 'name' }, { path: 'settings.description' }, { path: 'settings.tax.rateBp' }];
    expect(none.store.changed).toEqual(paths);
    expect(none.settings.changed).toEqual([{ path: 'discovery.summary' }]);
    expect(both).toEqual((await show(service, id)).restoring);
    expect(one).toMatchObject({ store: none.store, settings: both.settings });
  });

  test('a slug that another store has taken is said before the restore is refused', async () => {
    const { service, id } = await changedStore();
    const slug = `mine-${service.storeId.slice(0, 8)}`;
    const { slug: first } = service.store;
    await service.call('store.update', '', { slug });
    expect((await show(service, id)).restoring.store.slugTaken).toBe(false);
    const other = await openService({ storage: service.storage });
    await other.call('store.update', '', { slug: first });

    const { store } = (await show(service, id)).restoring;
    expect(store.slugTaken).toBe(true);
    expect(store.changed).toContainEqual({ path: 'slug', from: slug, to: first });
    expect(await restore(service, id, ['store'])).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
  });

  test('one of another store is not found', async () => {
    const { service, id } = await changedStore();
    const other = await openService({ storage: service.storage });

    expect((await read(other, 'backup.show', {}, { target: id })).status).toBe(404);
  });
});
