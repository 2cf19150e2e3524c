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
 * The one spelling of a base URL: as WHATWG writes it, without a trailing slash and without the final dot of the host. The path keeps its
 * case. A text that is not a URL, such as `demo`, is returned unchanged.
 */
export function normalizeBaseUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** A text that identifies one store: the normalized base URL, and the id of the store, a UUID in lower case. */
export function storeIdentity(baseUrl: string, storeId: string): string {
  return `${normalizeBaseUrl(baseUrl)} ${canonicalId(storeId)}`;
}

/**
 * A hint after "not found", if the base URL ends in a version such as `/v1`: storectl adds the version itself. Null for any other status
 * or base URL.
 */
export function hintOfVersion(status: number | null, baseUrl: string): string | null {
  const version = /\/v\d+$/.exec(baseUrl)?.[0];
  if (version === undefined || (status !== 404 && status !== 410)) return null;
  return `the base URL ends in ${version}: leave it out, storectl adds ${version === '/v1' ? 'it' : '/v1'}`;
}
