import path from 'node:path';
import { sha256 } from '../base/sha256.ts';
import { storeIdentity } from '../client/base-url.ts';
import type { StoreIdentity } from './journal/journal.ts';

/** The folder of a store's history in the folder of all histories. The name is a hash; the header of each log names the store. */
export function storeFolder(histories: string, { baseUrl, storeId }: StoreIdentity): string {
  return path.join(histories, sha256(storeIdentity(baseUrl, storeId)).slice(0, 16));
}
