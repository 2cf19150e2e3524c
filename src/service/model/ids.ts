import { randomUUID } from 'node:crypto';

/** The millisecond of the latest id, and how the ids of that millisecond begin. */
let latest = { millisecond: 0, beginning: '' };

/** A UUID of version 7 (RFC 9562): ids made later sort later, to about a quarter of a microsecond. */
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
  // The variant and 62 random bits: this is the cheapest source of them.
  return `${latest.beginning}${fraction}-${randomUUID().slice(19)}`;
}
