import { isLoopbackHost } from '../base-url.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy that the environment wants for `target`, or null for a direct connection.
 * `HTTP_PROXY` has no effect: it is for plain http, which this client speaks to loopback only, and loopback is
 * never proxied. Throws a RangeError when `HTTPS_PROXY` is not an http or https URL.
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

function isExempt(noProxy: string, target: URL): boolean {
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (port !== undefined && port !== (target.port || DEFAULT_PORTS[target.protocol])) return false;
    const host = name.replace(/^\*?\./, '');
    return host !== '' && (target.hostname === host || target.hostname.endsWith(`.${host}`));
  });
}

/** Port that a URL means, also where it does not say it. */
export function portOf(url: URL): number {
  return Number(url.port || DEFAULT_PORTS[url.protocol]);
}

/** Value of `Proxy-Authorization` for the user name and password in the proxy's URL, or null where it has none. */
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
