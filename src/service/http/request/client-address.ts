import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';

/** Whether an address belongs to a proxy whose X-Forwarded-For is believed. */
export type IsTrustedProxy = (address: string) => boolean;

/** From addresses and networks such as `10.0.0.0/8`, with commas between them. Null if one of them is neither. */
export function parseTrustedProxies(text: string): IsTrustedProxy | null {
  const list = new BlockList();
  for (const entry of text.split(',')) {
    const [address = '', prefix, ...rest] = entry.trim().split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (version === 0 || rest.length > 0 || !(length <= bits)) return null;
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Empty if the connection is gone. */
export function peerOf({ remoteAddress = '' }: Socket): string {
  return plain(remoteAddress);
}

/** The peer's address, or the one that a trusted proxy says it has the request from. */
export function clientAddressOf({ socket, headers }: IncomingMessage, isTrusted: IsTrustedProxy): string {
  const peer = peerOf(socket);
  if (!isTrusted(peer)) return peer;
  // What comes before the last entry is the client's own word.
  const named = headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() ?? '';
  return isIP(named) === 0 ? peer : plain(named);
}

/** What one client has: an IPv4 address, or an IPv6 network of 64 bits, in which it chooses addresses freely. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [start = '', end = ''] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  const groups = [...start, ...zeros, ...end].slice(0, 4).map((group) => Number.parseInt(group, 16));
  return groups.map((group) => group.toString(16)).join(':');
}

/** An IPv4 address that a socket for both versions has written as IPv6. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
