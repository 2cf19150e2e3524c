import { HistoryError } from '../../../history/errors.ts';
import type { Context } from '../../command/context.ts';
import type { Io } from '../../core/io.ts';

/** Whether stdout has taken what was printed so far. */
export function isOutputWritten({ stdout }: Pick<Io, 'stdout'>): Promise<boolean> {
  return new Promise((resolve) => {
    stdout.write('', (error) => resolve(error == null));
  });
}

/**
 * Records that the answers of this command have reached the user. If that cannot be written, `resume` lists them once more,
 * which does no harm.
 */
export async function markReported({ applied, history }: Context): Promise<void> {
  const told = applied.filter(({ reported }) => !reported);
  if (told.length === 0) return;
  try {
    await (await history()).markReported(told);
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
  applied.splice(0, applied.length, ...applied.map((record) => ({ ...record, reported: true })));
}
