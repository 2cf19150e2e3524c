/**
 * API keys of this service read `sk_<live|demo>_<id>_<secret><checksum>`: 12, 43 and 6 characters of base62.
 * The checksum is the CRC-32 of everything before it, so that a mistyped key is recognized without a request.
 */
export interface KeyParts {
  readonly kind: 'live' | 'demo';
  /** Public name of the key: may be shown and logged. */
  readonly id: string;
  /** 32 random bytes in base62. */
  readonly secret: string;
}

const format = /^sk_(live|demo)_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** The id in a key, or null if it is not a key. Does not check the checksum: the caller compares the whole key anyway. */
export function keyIdOf(text: string): string | null {
  return format.exec(text)?.[2] ?? null;
}

/** Whether the text is a key of this service with a correct checksum. */
export function isWellFormedKey(text: string): boolean {
  const checksum = format.exec(text)?.[4];
  return checksum !== undefined && crc32Base62(text.slice(0, -checksum.length)) === checksum;
}

const anywhere = /sk_(?:live|demo)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/g;

/** The text with every well-formed key in it as `sk_…[redacted]`: for what the user typed, who may have put a key in the wrong place. */
export function withoutKeys(text: string): string {
  return text.replace(anywhere, (key) => (isWellFormedKey(key) ? 'sk_…[redacted]' : key));
}

/** The complete key, with its checksum. */
export function formatKey({ kind, id, secret }: KeyParts): string {
  const unchecked = `sk_${kind}_${id}_${secret}`;
  return unchecked + crc32Base62(unchecked);
}

/** Big-endian bytes as base62, padded to the width that the longest value of that many bytes needs. */
export function base62(bytes: Uint8Array): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = '';
  for (let width = Math.ceil((bytes.length * 8) / Math.log2(62)); width > 0; width--) {
    digits = alphabet.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}

function crc32Base62(ascii: string): string {
  let crc = 0xffffffff;
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const value = ~crc >>> 0;
  return base62(Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value));
}
