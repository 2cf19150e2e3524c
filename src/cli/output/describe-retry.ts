import { printable } from '../core/sanitize.ts';

/** What is said before a request is sent again: why, and after how long. `status` is null where no answer came. */
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

/** To a tenth where a second is much. */
function inSeconds(milliseconds: number): number {
  return milliseconds < 10_000
    ? Math.max(1, Math.round(milliseconds / 100)) / 10
    : Math.round(milliseconds / 1000);
}
