import type { Operation, ServedOperation } from '../operation.ts';
import { createBackup, listBackups, restoreBackup, showBackup } from './backups.ts';
import { createBlogPost, listBlogPosts, showBlogPost } from './blog.ts';
import { decideDispute, listDisputes, openDispute, showDispute } from './disputes.ts';
import { addEndpoint, listEndpoints, listNotifications, markNotificationsRead } from './notifications.ts';
import { appealReclaim, listReclaims } from './reclaims.ts';
import { saveSettings, showSettings } from './settings.ts';
import { showStore, updateStore } from './store.ts';

/** The operations in the order of section 4 of the contract, by the method of the client library. */
export const operationsByMethod = {
  updateStore,
  createBlogPost,
  decideDispute,
  showSettings,
  saveSettings,
  openDispute,
  showDispute,
  createBackup,
  restoreBackup,
  appealReclaim,
  addEndpoint,
  markNotificationsRead,
} as const satisfies Record<string, ServedOperation>;

export type MethodName = keyof typeof operationsByMethod | keyof typeof additionsByMethod;

export const operations = Object.values(operationsByMethod);

/** What this repository's service adds: reads, by the method of the client library (section 10). */
export const additionsByMethod = {
  showStore,
  listBlogPosts,
  showBlogPost,
  listDisputes,
  listBackups,
  showBackup,
  listReclaims,
  listEndpoints,
  listNotifications,
} as const satisfies Record<string, ServedOperation>;

export const additions = Object.values(additionsByMethod);

/** All that this repository's service offers. */
export const servedOperations = [...operations, ...additions];

type Served = (typeof servedOperations)[number];

/** An operation of the contract. */
export type OperationId = (typeof operations)[number]['id'];

export type ServedId = Served['id'];

/** One that only reads. */
export type ReadId = Extract<Served, { readonly class: 'read' }>['id'];

/** One that changes something. */
export type ChangeId = Exclude<ServedId, ReadId>;

/** The operation with this id, or undefined if it is unknown, for example in a history file of another version. */
export function findOperation(id: string): Operation | undefined {
  return servedOperations.find((operation) => operation.id === id);
}
