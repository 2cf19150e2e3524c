import { randomUUID } from 'node:crypto';
import { hostSlugForm } from '../../contract/forms.ts';
import { tagOfVersion } from '../model/entity-tag.ts';
import { notFound, ServiceError } from '../model/errors.ts';
import { createId } from '../model/ids.ts';
import { merge, pathsOfDifferences, withoutNulls } from '../model/merge.ts';
import { hostSlugFrom } from '../model/slugs.ts';
import { identityFields, type StorePatch, type StoreSettings } from '../model/store-fields.ts';
import { timestamp } from '../model/time.ts';
import { validate } from '../model/validation.ts';
import { isUniqueViolation } from '../storage/core/engine-errors.ts';
import type { Queries, Tenant } from '../storage/core/storage.ts';
import { findStore, insertStore, type StoreRecord, saveStore } from '../storage/queries/stores.ts';
import { recordEvent } from './record-event.ts';
import type { Precondition, Work } from './unit-of-work.ts';

export interface NewStore {
  readonly name: string;
  /** Default: made from the name. */
  readonly slug?: string | undefined;
  /** ISO 4217. Default: EUR. */
  readonly currency?: string | undefined;
  /** IANA name. Default: UTC. */
  readonly timezone?: string | undefined;
  /** A UUID. Default: a new one. */
  readonly id?: string;
}

/** Makes a store. Throws a ServiceError: `validation_failed`, `slug_taken`, or `duplicate` for the id. */
export async function addStore(db: Queries, options: NewStore, settings: StoreSettings, now: number) {
  const id = options.id ?? createId();
  const made = hostSlugFrom(options.name, 63);
  const store: StoreRecord = {
    ...validate(identityFields, {
      name: options.name,
      slug: options.slug ?? (hostSlugForm.fits(made) ? made : `store-${id.slice(-12)}`),
      defaultCurrency: options.currency ?? 'EUR',
      timezone: options.timezone ?? 'UTC',
    }),
    id,
    organisationId: createId(),
    status: 'setup',
    settings,
    createdAt: timestamp(now),
    version: randomUUID(),
  };
  if ((await findStore({ db, storeId: id })) !== undefined) {
    throw new ServiceError('duplicate', 'A store with this id already exists');
  }
  await refusingTakenSlug(store, insertStore(db, store));
  return toStore(store);
}

/** `store.show`: the store, with its tag. */
export async function showStore(tenant: Tenant) {
  const store = await findStore(tenant);
  if (store === undefined) throw notFound('Store', tenant.storeId);
  return toTagged(store);
}

/** `store.update`: the store, with its tag. A patch that changes nothing records no event. */
export async function updateStore(work: Work, patch: StorePatch, isCurrent: Precondition) {
  const before = await findStore(work);
  if (before === undefined) throw notFound('Store', work.storeId);
  if (!isCurrent(() => tagOfVersion(before.version))) {
    throw new ServiceError('stale', 'The store has changed since you read it');
  }
  const after = withoutClearedSocials(merge(before, patch) as StoreRecord);
  const changed = pathsOfDifferences(before, after);
  if (changed.length === 0) return toTagged(before);
  const saved = await save(work, after);
  await recordEvent(work, 'store_updated', { changed });
  return toTagged(saved);
}

/** Saves what can change of a store, as a new version. */
export async function save({ db }: Tenant, store: StoreRecord): Promise<StoreRecord> {
  const saved = { ...store, version: randomUUID() };
  await refusingTakenSlug(saved, saveStore(db, saved));
  return saved;
}

function toTagged(store: StoreRecord) {
  return { document: toStore(store), tag: tagOfVersion(store.version) };
}

function withoutClearedSocials(store: StoreRecord): StoreRecord {
  const kept = Object.entries(store.settings.socials).filter(([, address]) => address !== null);
  return { ...store, settings: { ...store.settings, socials: Object.fromEntries(kept) } };
}

function toStore({ version: _, ...store }: StoreRecord) {
  const settings = { ...withoutNulls(store.settings), checkout: withoutNulls(store.settings.checkout) };
  return { ...store, settings, url: `https://${store.slug}.storefront.example` };
}

/** Slugs are unique among all stores because they become host names. */
async function refusingTakenSlug<Result>(
  { slug }: Pick<StoreRecord, 'slug'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ServiceError('slug_taken', `Another store already has the slug "${slug}"`);
  }
}
