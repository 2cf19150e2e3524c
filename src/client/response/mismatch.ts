import { asObject, parseJson, valueAt } from '../../base/json.ts';
import { normalizeText } from '../../base/normalize.ts';
import { type Operation, parametersOf } from '../../contract/operation.ts';

/**
 * A sentence if a success is the response to another request: a field that `operation.repeats` names has another value than in the
 * request. Otherwise null. A field that is missing, null or of another type does not count.
 */
export function mismatchOf(
  operation: Pick<Operation, 'path' | 'repeats'>,
  request: { readonly path: string; readonly body: string | null },
  response: unknown,
): string | null {
  if (operation.repeats === undefined) return null;
  const body = asObject(parseJson(request.body));
  for (const { field, parameter } of operation.repeats) {
    const asked = parameter === undefined ? body[field] : parametersOf(operation, request.path)[parameter];
    const got = valueAt(response, field.split('.'));
    const fits = parameter === undefined ? isSameValue(asked, got) : isSameId(asked, got);
    if (!fits) {
      return `the response does not match the request: ${field} is ${show(got)} instead of ${show(asked)}`;
    }
  }
  return null;
}

function isSameId(asked: unknown, got: unknown): boolean {
  if (typeof asked !== 'string' || typeof got !== 'string') return true;
  return asked.toLowerCase() === got.toLowerCase();
}

/** Compares texts, and lists of texts as sets. Other values count as the same. */
function isSameValue(asked: unknown, got: unknown): boolean {
  if (typeof asked === 'string' && typeof got === 'string') return isSameText(asked, got);
  if (!isListOfTexts(asked) || !isListOfTexts(got)) return true;
  const [one, other] = [new Set(asked.map(normalize)), new Set(got.map(normalize))];
  return one.size === other.size && [...one].every((text) => other.has(text));
}

/** Services trim and normalize texts, and cut long ones short. */
function isSameText(asked: string, got: string): boolean {
  const [wanted, shown] = [normalize(asked), normalize(got)];
  const beginning = withoutEllipsis(shown);
  return wanted === shown || (beginning !== '' && wanted.startsWith(beginning));
}

function withoutEllipsis(text: string): string {
  const mark = ['…', '...'].find((end) => text.endsWith(end));
  return mark === undefined ? text : text.slice(0, -mark.length).trimEnd();
}

function normalize(text: string): string {
  return normalizeText(text, 'NFC').trim();
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
