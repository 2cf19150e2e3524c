// What commands of other nouns may use: `undo`, `resume` and `history show` deal with restores, and `store update` offers a backup
// before an update that cannot be undone.
export { describeReplaced } from './describe-replaced.ts';
export { offerBackup } from './offer-backup.ts';
export {
  describeBackup,
  describeRestored,
  restoredView,
  rowsOfRestored,
  safetyLabelOf,
  sectionsOf,
} from './restored.ts';
export { rowsOfRestoring } from './restoring.ts';
export { sendRestore } from './send-restore.ts';
