import { isLoopbackHost } from '../base/loopback.ts';
import { canonicalId } from '../contract/operation.ts';

/**
 * The base URL of a service: an origin with an optional path prefix, without a trailing slash.
 * Throws a RangeError whose message says what is wrong with it.
 */
export function parseBaseUrl(text: string): URL {
  // Stricter than the URL parser, which repairs spaces, backslashes and missing slashes into something else.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) {
    throw new RangeError('the base URL must be an http or https URL, for example https://api.example.com');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new RangeError('the base URL must not contain a user name or a password');
  }
  if (text.includes('?')) throw new RangeError('the base URL must not contain a query (?…)');
  if (text.includes('#')) throw new RangeError('the base URL must not contain a fragment (#…)');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new RangeError(
      `HTTPS is required (except for localhost): ${url.host} would receive the API key unencrypted`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * The base URL in the one form that stands for a service: as WHATWG writes it, without a trailing slash and without the
 * final dot of the host. The path counts, and keeps its case. What is not a URL, such as `demo`, stays as it is.
 */
export function normalizeBaseUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** What tells one store from every other: its base URL, normalized, and its id, of which a UUID is in lower case. */
export function storeIdentity(baseUrl: string, storeId: string): string {
  return `${normalizeBaseUrl(baseUrl)} ${canonicalId(storeId)}`;
}

/**
 * What to say after a response with this status if it is likely that there is no such path, because the base URL ends in a
 * version, as in examples of other services. Else null.
 */
export function hintOfVersion(status: number | null, baseUrl: string): string | null {
  const version = /\/v\d+$/.exec(baseUrl)?.[0];
  if (version === undefined || (status !== 404 && status !== 410)) return null;
  return `the base URL ends in ${version}: leave it out, storectl adds ${version === '/v1' ? 'it' : '/v1'}`;
}
