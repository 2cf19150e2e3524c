// What commands of other nouns may use of backups: a restore is undone, resumed and shown by them, too, and an update that
// cannot be undone offers a backup.
export { describeReplaced } from './describe-replaced.ts';
export { offerBackup } from './offer-backup.ts';
export { describeBackup, describeRestored, restoredView, rowsOfRestored, safetyLabelOf } from './restored.ts';
export { rowsOfRestoring } from './restoring.ts';
export { sendRestore } from './send-restore.ts';
