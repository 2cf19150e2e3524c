import { randomUUID } from 'node:crypto';

/** A UUID of version 7 (RFC 9562): ids made later sort later, to about a quarter of a microsecond. */
export function createId(): string {
  const milliseconds = performance.timeOrigin + performance.now();
  const whole = Math.floor(milliseconds);
  const time = whole.toString(16).padStart(12, '0');
  const fraction = Math.floor((milliseconds - whole) * 4096)
    .toString(16)
    .padStart(3, '0');
  // The variant and 62 random bits: this is the cheapest source of them.
  const rest = randomUUID().slice(19);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${fraction}-${rest}`;
}
