import { printable } from '../core/sanitize.ts';

/** The notice before a retry: the reason and the delay. `status` is null if no answer came. */
export function describeRetry({
  status,
  delayMs,
  reason,
}: {
  readonly status: number | null;
  readonly delayMs: number;
  readonly reason: string;
}): string {
  const why = status === 429 ? 'rate limited by the service' : printable(reason).replace(/[.\s]+$/, '');
  return `${why}: trying again in ${inSeconds(delayMs)} s`;
}

/** Short delays are rounded to a tenth of a second, longer ones to a second. */
function inSeconds(milliseconds: number): number {
  return milliseconds < 10_000
    ? Math.max(1, Math.round(milliseconds / 100)) / 10
    : Math.round(milliseconds / 1000);
}
