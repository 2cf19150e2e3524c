import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listBackups } from '../../contract/operations/backups.ts';
import { findUndoOf } from './undo-of.ts';

export const command = listCommand({
  operation: listBackups,
  kind: 'backup',
  columns: ['label', 'sections', 'note'],
  start: ['backup', 'create'],
  async annotate(session, items) {
    const undoOf = await findUndoOf(session);
    return items.map((item) => {
      const undone = undoOf(String(item.id));
      const byService = item.automatic === true ? 'made by the service' : null;
      return { ...item, note: undone === null ? byService : `undo ${undone} uses it` };
    });
  },
});
