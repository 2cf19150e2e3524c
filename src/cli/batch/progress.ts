import { monotonicMs } from '../../base/clock.ts';
import type { Ui } from '../command/ui.ts';

const barColumns = 24;

/** Of work that waits for nothing: drawn if it takes longer, and not more often than can be read. */
const fast = { afterMs: 300, everyMs: 50 };

/**
 * A progress bar on stderr: in the status line, so only in terminals. Without a total, no bar is drawn. `isFast` is work whose
 * items take no time each, such as reading files.
 */
export function startProgress(ui: Ui, total: number | null, what: string, { isFast = false } = {}) {
  let done = 0;
  let nextDraw = isFast ? monotonicMs() + fast.afterMs : 0;
  const draw = () => {
    if (total === null || (isFast && monotonicMs() < nextDraw)) return;
    nextDraw = monotonicMs() + fast.everyMs;
    const filled = Math.round((done / Math.max(total, 1)) * barColumns);
    const bar = '█'.repeat(filled) + '░'.repeat(barColumns - filled);
    ui.setProgressBar(`${bar} ${done}/${total} ${what}`);
  };
  draw();
  return {
    /** Counts one more item. */
    step(): void {
      done += 1;
      draw();
    },
    /** Clears the bar. */
    end: () => ui.setProgressBar(null),
  };
}
