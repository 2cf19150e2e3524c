import { randomBytes } from 'node:crypto';

/** A UUID of version 7 (RFC 9562): ids made later sort later, to about a quarter of a microsecond. */
export function createId(): string {
  const milliseconds = performance.timeOrigin + performance.now();
  const whole = Math.floor(milliseconds);
  const fraction = Math.floor((milliseconds - whole) * 4096);

  const bytes = randomBytes(16);
  bytes.writeUIntBE(whole, 0, 6);
  bytes.writeUInt16BE(0x7000 | fraction, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
