import type { Ui } from '../command/ui.ts';
import { wrapText } from '../output/wrap.ts';

const barColumns = 24;

/**
 * Prints results line by line on stdout, and below them a progress bar on stderr: in the status line, so only in terminals.
 * Without a total, no bar is drawn.
 */
export function startProgress(ui: Ui, total: number | null, what: string) {
  const { width } = ui.out;
  let done = 0;
  const draw = () => {
    if (total === null) return;
    const filled = Math.round((done / Math.max(total, 1)) * barColumns);
    const bar = '█'.repeat(filled) + '░'.repeat(barColumns - filled);
    ui.setProgressBar(`${bar} ${done}/${total} ${what}`);
  };
  const note = (line: string) => ui.print(width === null ? line : wrapText(line, width));
  draw();
  return {
    /** Prints a result that is not counted. */
    note,
    /** Counts one more item, and prints its result if it is not null. */
    step(line: string | null): void {
      done += 1;
      if (line !== null) note(line);
      draw();
    },
    /** Clears the bar. */
    end: () => ui.setProgressBar(null),
  };
}
