import { type Difference, differences } from '../../model/merge.ts';
import { documentOf, type SettingsDocument } from '../../model/settings-document.ts';
import { type ClosedRanges, countWithout } from '../../storage/core/ranges.ts';
import type { StoreRecord } from '../../storage/queries/stores.ts';

/** What a restore changes, by section: said before by `backup.show`, and after by `backup.restore`. */

/** What a backup has of a store. */
export type StoreContent = Pick<StoreRecord, 'name' | 'slug' | 'defaultCurrency' | 'timezone' | 'settings'>;

export function contentOf({ name, slug, defaultCurrency, timezone, settings }: StoreContent): StoreContent {
  return { name, slug, defaultCurrency, timezone, settings };
}

export function compareStores(before: StoreContent, after: StoreContent): Difference[] {
  return differences(contentOf(before), after);
}

type Settings = Partial<SettingsDocument> | null;

/** Settings that were never saved are the defaults. */
export function compareSettings(before: Settings, after: Settings): Difference[] {
  return differences(documentOf(before), documentOf(after));
}

/** How many posts go and come back. */
export function compareBlogs(before: ClosedRanges, after: ClosedRanges) {
  return { removed: countWithout(before, after), returned: countWithout(after, before) };
}

/** How many endpoints go and come back, by their ids. */
export function compareEndpoints(before: readonly string[], after: readonly string[]) {
  return { removed: without(before, after).length, returned: without(after, before).length };
}

/** The ids that are not in `others`. */
export function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}
