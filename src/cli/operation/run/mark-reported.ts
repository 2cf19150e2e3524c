import { HistoryError } from '../../../history/errors.ts';
import type { Context } from '../../command/context.ts';

/**
 * Records that the answers of this command have reached the user. If that cannot be written, `resume` lists them once more,
 * which does no harm.
 */
export async function markReported({ applied, history }: Context): Promise<void> {
  for (const record of applied.splice(0)) {
    if (record.reported) continue;
    try {
      await (await history()).update(record, { state: 'applied', reported: true });
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
    }
  }
}
