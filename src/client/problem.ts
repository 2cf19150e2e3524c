import type { Problem } from './outcome.ts';

/** An error answer, its body decoded. */
export interface ErrorAnswer {
  readonly status: number;
  /** Reason phrase, empty where the server sends none. */
  readonly statusText: string;
  readonly contentType: string;
  readonly text: string;
}

type Field = Problem['fields'][number];
type JsonObject = Readonly<Record<string, unknown>>;

const MAX_MESSAGE = 500;
const MAX_FIELDS = 100;
/** Enough of a page to find its title. The patterns below are slow on long hostile input. */
const MAX_HTML = 8_192;

/**
 * Reads any error body: `application/problem+json`, `{error: {…}}`, `{error: "…"}`, `{message}`, `{errors}`, HTML, text
 * or nothing. Never throws; a body that says nothing gives `HTTP 502 Bad Gateway`.
 */
export function readProblem(answer: ErrorAnswer): Problem {
  const { status, text } = answer;
  const fallback = `HTTP ${status} ${answer.statusText}`.trim();
  const document = parseJson(text);
  if (document === undefined) {
    const message = isHtml(answer) ? textOfHtml(text.slice(0, MAX_HTML)) : text;
    return { status, code: null, message: oneLine(message) || fallback, fields: [] };
  }
  const root = asObject(document);
  const inner = asObject(root.error);
  const fields = fieldsOf(root, inner);
  const message =
    [
      root.detail,
      root.message,
      root.error_description,
      inner.message,
      inner.detail,
      inner.description,
      root.title,
      inner.title,
      root.error,
      document,
    ]
      .map(sentence)
      .find((candidate) => candidate !== '') ?? '';
  const summary =
    message || fields.map((field) => [field.path, field.detail].filter(Boolean).join(': ')).join('; ');
  return { status, code: codeOf(root, inner), message: oneLine(summary) || fallback, fields };
}

/**
 * True when a 409 says that the first request with the same idempotency key is still being worked on.
 * A restore that waits for another restore is not that: it was refused.
 */
export function saysInProgress(text: string): boolean {
  const root = asObject(parseJson(text));
  const inner = asObject(root.error);
  const words = [root, inner]
    .flatMap(({ type, code, title, message, detail }) => [type, code, title, message, detail])
    .filter((value) => typeof value === 'string')
    .join('\n');
  return /in.progress|idempotency.key.in.use/i.test(words) && !/restore.in.progress/i.test(words);
}

function codeOf(root: JsonObject, inner: JsonObject): string | null {
  // A word in `error` is a code where another member has the message (RFC 6749, section 5.2).
  const word = typeof root.error === 'string' && /^[a-z][\w.-]*$/.test(root.error) ? root.error : null;
  const code = [root.code, inner.code, word, inner.type].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof code === 'string' ? oneLine(code) : null;
}

function fieldsOf(root: JsonObject, inner: JsonObject): Field[] {
  const sources = [
    root.errors,
    root.fields,
    root.details,
    root['invalid-params'],
    Array.isArray(root.detail) ? root.detail : undefined,
    inner.errors,
    inner.fields,
    inner.details,
  ];
  return sources.flatMap(fieldsOfSource).slice(0, MAX_FIELDS);
}

/** `[{pointer, code, detail}]` and its relatives, `["…"]`, or `{field: "…" | ["…"] | {code, message}}`. */
function fieldsOfSource(source: unknown): Field[] {
  if (Array.isArray(source)) return source.slice(0, MAX_FIELDS).flatMap((item) => fieldsOfItem(item, ''));
  return Object.entries(asObject(source))
    .slice(0, MAX_FIELDS)
    .flatMap(([path, value]) => [value].flat().flatMap((item) => fieldsOfItem(item, path)));
}

function fieldsOfItem(item: unknown, path: string): Field[] {
  if (typeof item === 'string') return [{ path: oneLine(path), code: null, detail: oneLine(item) }];
  const { code, type, rule, ...entry } = asObject(item);
  const detail = [entry.detail, entry.message, entry.msg, entry.reason, entry.description, entry.title]
    .map(sentence)
    .find((candidate) => candidate !== '');
  const word = [code, type, rule].find((value) => typeof value === 'string');
  if (detail === undefined && word === undefined) return [];
  const place =
    entry.pointer ??
    asObject(entry.source).pointer ??
    entry.field ??
    entry.path ??
    entry.param ??
    entry.property ??
    entry.loc ??
    entry.name ??
    path;
  return [
    {
      path: oneLine(dottedPath(place)),
      code: typeof word === 'string' ? oneLine(word) : null,
      detail: oneLine(detail ?? String(word)),
    },
  ];
}

/** `/settings/cashbackBp`, `#/settings/cashbackBp` and `["body", "settings", "cashbackBp"]` → `settings.cashbackBp`. */
function dottedPath(place: unknown): string {
  if (Array.isArray(place)) {
    const parts = place.filter((part) => typeof part === 'string' || typeof part === 'number');
    return (parts[0] === 'body' ? parts.slice(1) : parts).join('.');
  }
  if (typeof place !== 'string') return '';
  if (!/^#?\//.test(place)) return place;
  return place
    .replace(/^#?\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

/** A string, or strings in a list as some frameworks send them. */
function sentence(value: unknown): string {
  const parts = Array.isArray(value) ? value : [value];
  return parts.filter((part) => typeof part === 'string').join('; ');
}

function oneLine(text: string): string {
  // Cut before anything else: the body may have megabytes.
  const line = text
    .slice(0, 8 * MAX_MESSAGE)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_MESSAGE ? `${[...line].slice(0, MAX_MESSAGE - 1).join('')}…` : line;
}

function isHtml({ contentType, text }: ErrorAnswer): boolean {
  return /html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function textOfHtml(html: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim();
  const visible = title || html.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return visible.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
