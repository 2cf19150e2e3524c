import { randomUUID } from 'node:crypto';

/** Cached because many ids are made in one millisecond. */
let latest = { millisecond: 0, beginning: '' };

/** A UUID of version 7 (RFC 9562). Later ids sort later, with a resolution of a quarter of a microsecond. */
export function createId(): string {
  const milliseconds = performance.timeOrigin + performance.now();
  const whole = Math.floor(milliseconds);
  if (whole !== latest.millisecond) {
    const time = whole.toString(16).padStart(12, '0');
    latest = { millisecond: whole, beginning: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  const fraction = Math.floor((milliseconds - whole) * 4096)
    .toString(16)
    .padStart(3, '0');
  // The variant and 62 random bits, from the fastest source.
  return `${latest.beginning}${fraction}-${randomUUID().slice(19)}`;
}
