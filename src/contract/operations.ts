import type { Operation, ServedOperation } from './operation.ts';
import { createBackup, restoreBackup } from './operations/backups.ts';
import { createBlogPost } from './operations/blog.ts';
import { decideDispute, openDispute, showDispute } from './operations/disputes.ts';
import { addEndpoint, markNotificationsRead } from './operations/notifications.ts';
import { appealReclaim } from './operations/reclaims.ts';
import { saveSettings, showSettings } from './operations/settings.ts';
import { updateStore } from './operations/store.ts';

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

export type MethodName = keyof typeof operationsByMethod;

export const operations = Object.values(operationsByMethod);

export type OperationId = (typeof operations)[number]['id'];

/** The operation with this id, or undefined if it is unknown, for example in a history file of another version. */
export function findOperation(id: string): Operation | undefined {
  return operations.find((operation) => operation.id === id);
}
