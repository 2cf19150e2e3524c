import { createBackup, restoreBackup } from './backups.ts';
import { createBlogPost } from './blog.ts';
import { decideDispute, openDispute, showDispute } from './disputes.ts';
import { addEndpoint, markNotificationsRead } from './notifications.ts';
import type { Operation } from './operation.ts';
import { appealReclaim } from './reclaims.ts';
import { saveSettings, showSettings } from './settings.ts';
import { updateStore } from './store.ts';

/** The 12 operations in the order of section 4: the number of an operation is its place here, from 1. */
export const operations = [
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
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]['id'];

/** The operation with this id, or undefined: ids may come from a history file of another version. */
export function findOperation(id: string): Operation | undefined {
  return operations.find((operation) => operation.id === id);
}
