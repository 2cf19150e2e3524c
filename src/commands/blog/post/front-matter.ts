import { isObject } from '../../../base/json.ts';
import {
  DocumentError,
  type DocumentSyntax,
  type InputDocument,
  TooDeepError,
} from '../../../cli/core/document/document.ts';
import { readDocument } from '../../../cli/core/document/read-document.ts';
import type { Field } from './fields.ts';
import { readHeaderLines } from './header-lines.ts';

/** A file with front matter, or without. */
export interface SplitFile {
  readonly fields: readonly Field[];
  /** What follows the front matter, byte for byte but for empty lines at its beginning. */
  readonly content: string;
  /** The line of the file on which the content begins, from 1. */
  readonly contentLine: number;
}

/** What is wrong with front matter, and in which line of the file. */
export class FrontMatterError extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.name = 'FrontMatterError';
    this.line = line;
  }
}

interface Block {
  readonly language: DocumentSyntax;
  readonly text: string;
  /** The line of the file on which `text` begins, from 1. */
  readonly line: number;
  /** Where the content begins. */
  readonly end: number;
}

/**
 * Front matter and content of a file: YAML between `---` (closed by `---` or `...`), TOML between `+++`, JSON as `{ … }`,
 * between `;;;`, or after `---json`, or lines `Title: …` without a mark. A byte order mark, empty lines and HTML comments before
 * it change nothing. Text that begins like front matter and cannot be read throws a FrontMatterError: it must never become the text of a post.
 */
export async function splitFile(text: string): Promise<SplitFile> {
  const source = text.replace(/^\ufeff/, '');
  const block = findBlock(source);
  const above = block === null ? readHeaderLines(source) : null;
  const start = block?.end ?? above?.end ?? 0;
  const blank = /^(?:[ \t]*\r?\n)+/.exec(source.slice(start))?.[0].length ?? 0;
  return {
    fields: block === null ? (above?.fields ?? []) : await readBlock(block),
    content: source.slice(start + blank),
    contentLine: lineAt(source, start + blank),
  };
}

/** What may stand before front matter, as license headers and notes of editors do. */
const before = /^(?:[ \t]*\r?\n|[ \t]*<!--[\s\S]*?-->[ \t]*(?:\r?\n|$))*/;

const languages: Readonly<Record<string, DocumentSyntax>> = {
  '': 'YAML',
  yaml: 'YAML',
  yml: 'YAML',
  toml: 'TOML',
  json: 'JSON',
};

/** Hexo needs no opening line: fields at the very beginning, up to a line of `---`. */
const bareFields = /^(?:(?:[A-Za-z_][\w-]*:(?:[ \t].*)?|[ \t]+\S.*|-[ \t].*)\r?\n)+---[ \t]*(?:\r?\n|$)/;
const knownInBare = /^(?:title|date|layout|tags|categories|permalink|draft|published|status):/m;

function findBlock(source: string): Block | null {
  const start = before.exec(source)?.[0].length ?? 0;
  const [opening = ''] = source.slice(start).split(/\r?\n/, 1);
  const line = lineAt(source, start);
  if (beginsJson(source, start)) return findObject(source, start, line);
  const bare = bareFields.exec(source)?.[0];
  if (bare !== undefined && knownInBare.test(bare)) {
    const text = bare.replace(/---[ \t]*(?:\r?\n)?$/, '');
    return { language: 'YAML', text, line: 1, end: bare.length };
  }
  const [, fence, name = ''] = /^(---|\+\+\+|;;;)[ \t]*(?!-)(.*?)[ \t]*$/.exec(opening) ?? [];
  if (fence === undefined || (fence !== '---' && name !== '')) return null;
  const language = { '---': languages[name.toLowerCase()], '+++': 'TOML', ';;;': 'JSON' }[fence] as
    | DocumentSyntax
    | undefined;
  if (language === undefined) {
    const known = 'YAML between lines of ---, TOML between +++, or JSON';
    throw new FrontMatterError(line, `front matter must be ${known} (found "${opening.trim()}")`);
  }
  const closing = { '---': '(?:---|\\.\\.\\.)', '+++': '\\+\\+\\+', ';;;': ';;;' }[fence];
  const textStart = start + opening.length + (source[start + opening.length] === '\r' ? 2 : 1);
  const rest = source.slice(textStart);
  const end = new RegExp(`^${closing}[ \\t]*(?:\\r?\\n|$)`, 'm').exec(rest);
  if (end === null) {
    const rule = fence === '---' ? ' (for a horizontal rule at the top, write ***)' : '';
    throw new FrontMatterError(line, `the front matter has no closing ${fence}${rule}`);
  }
  return {
    language,
    text: rest.slice(0, end.index),
    line: line + 1,
    end: textStart + end.index + end[0].length,
  };
}

/** Neither `{{` and `{%` of templates, nor `{:` and `{#` of Markdown processors, nor the comments `{/*` of MDX. */
function beginsJson(source: string, start: number): boolean {
  return /^\{(?:\s*(?:$|["'}]|[A-Za-z_]\w*\s*:)|\s+\/[/*])/.test(source.slice(start, start + 200));
}

/** JSON front matter ends with the brace that closes its first one. */
function findObject(source: string, start: number, line: number): Block {
  let depth = 0;
  const parts = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  parts.lastIndex = start;
  for (let part = parts.exec(source); part !== null; part = parts.exec(source)) {
    if (part[0] === '{') depth += 1;
    if (part[0] !== '}') continue;
    depth -= 1;
    if (depth > 0) continue;
    const end = parts.lastIndex;
    const newline = /^[ \t]*(?:\r?\n|$)/.exec(source.slice(end));
    if (newline === null) {
      throw new FrontMatterError(
        lineAt(source, end),
        'the content must begin on a line after the JSON front matter',
      );
    }
    return { language: 'JSON', text: source.slice(start, end), line, end: end + newline[0].length };
  }
  throw new FrontMatterError(line, 'the JSON front matter has no closing }');
}

async function readBlock({ language, text, line }: Block): Promise<readonly Field[]> {
  if (text.trim() === '') return [];
  const document = await readLanguage(text, line, language);
  const { value } = document;
  // Comments alone are no fields.
  if (value === null || value === undefined) return [];
  if (!isObject(value)) throw new FrontMatterError(line, 'front matter must be lines of "name: value"');
  return Object.entries(value).map(([name, own]) => {
    const place = document.lineOf([name]) ?? line;
    // YAML reads what follows a closing bracket, as in `title: [Ink]: a story`, as a field without a name.
    if (name === '') {
      throw new FrontMatterError(
        place,
        `invalid ${language}: a text that begins with [ or { must be in quotes`,
      );
    }
    return { name, line: place, value: own, written: asWritten(document, [name], own) };
  });
}

async function readLanguage(text: string, line: number, syntax: DocumentSyntax): Promise<InputDocument> {
  try {
    return await readDocument(text, { syntax, linesAbove: line - 1 });
  } catch (error) {
    if (error instanceof TooDeepError)
      throw new FrontMatterError(line, 'the front matter is nested too deeply');
    if (!(error instanceof DocumentError)) throw error;
    const { reason, repeatsKey } = error;
    throw new FrontMatterError(error.line, repeatsKey ? reason : `invalid ${syntax}: ${reason}`);
  }
}

/** The value with numbers and truth values as the texts that they are in the file. */
function asWritten(document: InputDocument, path: readonly string[], value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one, index) => asWritten(document, [...path, String(index)], one));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, one]) => [
      name,
      asWritten(document, [...path, name], one),
    ]);
    return Object.fromEntries(entries);
  }
  const isText = typeof value === 'string' || value === null;
  return isText ? value : (document.sourceOf(path) ?? String(value));
}

/** The line at an offset, from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
