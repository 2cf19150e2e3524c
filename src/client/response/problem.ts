import { asObject, isObject, parseJson } from '../../base/json.ts';
import type { Problem } from '../outcome/outcome.ts';

/** An error response with its decoded body. */
export interface ErrorResponse {
  readonly status: number;
  /** Reason phrase; empty if the server sent none. */
  readonly statusText: string;
  readonly contentType: string;
  readonly text: string;
}

type Field = Problem['fields'][number];

const MAX_MESSAGE_LENGTH = 500;
const MAX_FIELDS = 100;
/** Enough of a page to find its title. */
const MAX_HTML_LENGTH = 8_192;

/**
 * Reads an error body: RFC 9457 (`application/problem+json`), `{error: {…}}`, `{error: "…"}`, `{message}`, HTML, plain
 * text or nothing. Never throws; a body that says nothing gives `HTTP 502 Bad Gateway`, since the status is what counts.
 */
export function readProblem(response: ErrorResponse): Problem {
  const { status, text } = response;
  const fallback = `HTTP ${status} ${response.statusText}`.trim();
  const document = parseJson(text);
  if (document === undefined) {
    const isHtml = /html/i.test(response.contentType) || /^\s*<(!doctype|html)/i.test(text);
    const message = isHtml ? titleOf(text.slice(0, MAX_HTML_LENGTH)) : text;
    return { status, code: null, message: oneLine(message) || fallback, fields: [] };
  }
  const root = asObject(document);
  const error = asObject(root.error);
  const message = firstText(root.detail, root.message, error.message, root.title, root.error);
  return {
    status,
    code: codeOf(root, error),
    message: oneLine(message ?? '') || fallback,
    fields: [root.errors, error.errors, error.details].flatMap(fieldsOf).slice(0, MAX_FIELDS),
    ...(isObject(root.existing) && { existing: root.existing }),
  };
}

/**
 * Whether a 409 says that the first request with the same idempotency key is still being processed. A 409 because of another restore is
 * a refusal.
 */
export function saysInProgress(text: string): boolean {
  const root = asObject(parseJson(text));
  const words = [root, asObject(root.error)]
    .flatMap(({ type, code, title, message, detail }) => [type, code, title, message, detail])
    .filter((value) => typeof value === 'string')
    .join('\n');
  return /in.progress|idempotency.key.in.use/i.test(words) && !/restore.in.progress/i.test(words);
}

function codeOf(root: Record<string, unknown>, error: Record<string, unknown>): string | null {
  // A single word in `error` is a code: `{"error": "invalid_token"}`.
  const word = typeof root.error === 'string' && /^[a-z][\w.-]*$/.test(root.error) ? root.error : undefined;
  const code = firstText(root.code, error.code, word, error.type);
  return code === null ? null : oneLine(code);
}

/** The fields in `[{pointer, code, detail}]` (RFC 9457, section 3), or in `[{field, code, message}]`. */
function fieldsOf(list: unknown): Field[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, MAX_FIELDS)
    .filter(isObject)
    .flatMap((item): Field[] => {
      const code = firstText(item.code);
      const detail = firstText(item.detail, item.message) ?? code;
      if (detail === null) return [];
      const place = firstText(item.pointer, item.field, item.path) ?? '';
      return [
        {
          path: oneLine(dottedPath(place)),
          code: code === null ? null : oneLine(code),
          detail: oneLine(detail),
        },
      ];
    });
}

/** `/settings/cashbackBp` and `#/settings/cashbackBp` → `settings.cashbackBp`. */
function dottedPath(place: string): string {
  if (!/^#?\//.test(place)) return place;
  return place
    .replace(/^#?\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function firstText(...values: readonly unknown[]): string | null {
  const text = values.find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? text : null;
}

/** A text of the service as a clause in one line, without its full stop. */
function oneLine(text: string): string {
  // The text is cut first, because a body may have megabytes.
  const line = text
    .slice(0, 8 * MAX_MESSAGE_LENGTH)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\.)\.$/, '');
  return line.length > MAX_MESSAGE_LENGTH ? `${[...line].slice(0, MAX_MESSAGE_LENGTH - 1).join('')}…` : line;
}

/** What follows is for a browser. */
function titleOf(html: string): string {
  return /<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? '';
}
