import type { Ui } from '../command/ui.ts';

const barColumns = 24;

/** A progress bar on stderr: in the status line, so only in terminals. Without a total, no bar is drawn. */
export function startProgress(ui: Ui, total: number | null, what: string) {
  let done = 0;
  const draw = () => {
    if (total === null) return;
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
