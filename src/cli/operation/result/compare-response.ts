import { isObject } from '../../../base/json.ts';
import { shorten } from '../../core/sanitize.ts';

/** Fields whose values are secrets. The service may mask them, and they are never printed. */
const secretFields = ['url', 'idempotencyKey'];

/**
 * The fields that have another value in the response than in the request, a line each: `quietHours.start: sent 21:00, the service returned
 * 22:00`. A field that is not in the response is left out.
 */
export function differencesFromSent(sent: unknown, response: unknown, path = ''): string[] {
  if (!isObject(sent) || !isObject(response)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const got = response[name];
    if (got === undefined || secretFields.includes(name)) return [];
    const place = path === '' ? name : `${path}.${name}`;
    if (isObject(value) && isObject(got)) return differencesFromSent(value, got, place);
    // A response may use the name of a list for an object: a restore takes `sections` as a list, and counts by section.
    if (Array.isArray(value) && isObject(got)) return [];
    return isSame(value, got) ? [] : [`${place}: sent ${show(value)}, the service returned ${show(got)}`];
  });
}

function isSame(sent: unknown, got: unknown): boolean {
  if (typeof sent !== 'string' || typeof got !== 'string') {
    return isEmpty(sent) ? isEmpty(got) : JSON.stringify(sent) === JSON.stringify(got);
  }
  if (sent.trim() === got.trim()) return true;
  // The same moment in another form.
  return /^\d{4}-\d\d-\d\d/.test(sent) && Date.parse(sent) === Date.parse(got);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '';
}

function show(value: unknown): string {
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
