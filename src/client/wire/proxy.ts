import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from '../../base/loopback.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy for `target` by the environment, or null for a direct connection. `HTTP_PROXY` has no effect: it is for plain HTTP, which this
 * client speaks with loopback only, and never through a proxy. Throws a RangeError if `HTTPS_PROXY` is not an http or https URL.
 */
export function chooseProxy(env: Readonly<Record<string, string | undefined>>, target: URL): URL | null {
  if (target.protocol !== 'https:' || isLoopbackHost(target.hostname)) return null;
  const value = env.https_proxy || env.HTTPS_PROXY;
  if (!value) return null;
  if (isExempt(env.no_proxy || env.NO_PROXY || '', target)) return null;
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw new RangeError(
      'HTTPS_PROXY must be an http or https URL, for example http://proxy.example.com:3128',
    );
  }
  return new URL(text);
}

/** Whether an entry of `NO_PROXY` is for the target, by the rules of curl: a name with its subdomains, an address, or a range. */
function isExempt(noProxy: string, target: URL): boolean {
  const address = bareAddress(target.hostname);
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const { name, port } = splitPort(entry.toLowerCase());
    if (port !== undefined && Number(port) !== portOf(target)) return false;
    if (isIP(address) !== 0) return isInRange(address, name);
    const host = name.replace(/^\*?\./, '').replace(/\.$/, '');
    return host !== '' && (target.hostname === host || target.hostname.endsWith(`.${host}`));
  });
}

/** An IPv6 address without brackets has no port. */
function splitPort(entry: string): { readonly name: string; readonly port: string | undefined } {
  const [, bracketed, inBrackets = '', portAfter] = /^(\[([^\]]*)\])(?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { name: inBrackets, port: portAfter };
  const [, name = entry, port] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return { name, port };
}

/** Whether an address is in `range`: one address, or a prefix such as `10.0.0.0/8` or `fd00::/8`. */
function isInRange(address: string, range: string): boolean {
  const [start = '', prefix] = range.split('/');
  const network = bareAddress(start);
  const family = isIP(network);
  if (family === 0 || family !== isIP(address)) return false;
  const bits = family === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(length <= bits)) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, length, type);
  return list.check(address, type);
}

/** Without the brackets of an IPv6 address in a URL. */
function bareAddress(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The port of a URL, or the default one of its scheme. */
export function portOf(url: URL): number {
  return Number(url.port || DEFAULT_PORTS[url.protocol]);
}

/** The header `Proxy-Authorization` for the user name and password in the URL of the proxy. Null if the URL has none. */
export function proxyAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const credentials = [username, password].map(decodePart).join(':');
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** A password with a bare percent sign is taken as it is. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
