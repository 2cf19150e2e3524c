import type { Ui } from '../command/ui.ts';
import { wrapText } from '../output/wrap.ts';

/** Prints results line by line on stdout, and below them a progress bar on stderr. */
export interface Progress {
  /** Counts one more item. `line` is its result, printed on stdout, or null to print nothing. */
  step(line: string | null): void;
  /** Prints a result that is not counted. */
  note(line: string): void;
  /** Clears the bar. */
  end(): void;
}

const barColumns = 24;

/** The bar is drawn in the status line, so only in terminals. Without a total, no bar is drawn. */
export function startProgress(ui: Ui, total: number | null, what: string): Progress {
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
    note,
    step(line) {
      done += 1;
      if (line !== null) note(line);
      draw();
    },
    end: () => ui.setProgressBar(null),
  };
}
