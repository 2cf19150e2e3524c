import path from 'node:path';
import { isObject } from '../../../base/json.ts';
import type { CliError } from '../../../cli/core/errors.ts';
import { fixInput, invalidInput } from '../../../cli/core/errors.ts';

/** A post parsed from a Markdown file. */
export interface MarkdownPost {
  /** Fields of the request: those of the front matter, `contentMd` and `title`. */
  readonly fields: Record<string, unknown>;
  /** The line on which a field of the front matter stands, from 1; null for any other field. */
  lineOf(field: string): number | null;
}

/**
 * Parses a post. Front matter is YAML between two lines `---` at the start of the text; no other language is read or run.
 * Without a title there, the first level-1 heading is the title. The content is everything after the front matter,
 * including that heading, as in Hugo and Jekyll; leading empty lines are removed. Throws exit 2 with file and line.
 */
export async function parseMarkdownPost(text: string, file: string | null): Promise<MarkdownPost> {
  const source = text.replace(/^\ufeff/, '');
  const [first = ''] = source.split(/\r?\n/, 1);
  if (/^\+\+\+\s*$/.test(first) || /^---\s*[^\s-]/.test(first)) {
    throw fileError(file, 1, `front matter must be YAML between lines of --- (found "${first.trim()}")`);
  }
  if (!/^---[ \t]*$/.test(first)) return postOf(source, {}, () => null);

  const match = /^---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms.exec(source);
  if (match === null) {
    throw fileError(
      file,
      1,
      'the front matter has no closing --- (for a horizontal rule at the top, write ***)',
    );
  }
  const { fields, lineOf } = await parseFrontMatter(match[1] ?? '', file);
  if ('contentMd' in fields) {
    throw fileError(
      file,
      lineOf('contentMd'),
      'contentMd is not a field of the front matter: write the content below it',
    );
  }
  return postOf(source.slice(match[0].length), fields, lineOf);
}

/** The Markdown file of a post: the fields as front matter, then the content. */
export async function renderMarkdownPost(fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { contentMd = '', ...others } = fields;
  const { stringify } = await import('yaml');
  const head = Object.keys(others).length === 0 ? 'title:\n' : stringify(others, { lineWidth: 0 });
  return `---\n${head}---\n\n${String(contentMd)}`;
}

/** Exit 2 for a line of a file; `line` is null for the whole file, `file` for a text in the editor. */
export function fileError(file: string | null, line: number | null, problem: string): CliError {
  const where = file === null ? `line ${line}` : line === null ? file : `${file}:${line}`;
  return invalidInput(`${where}: ${problem}`, fixInput);
}

function postOf(
  rest: string,
  frontMatter: Record<string, unknown>,
  lineOf: MarkdownPost['lineOf'],
): MarkdownPost {
  const contentMd = rest.replace(/^(?:[ \t]*\r?\n)+/, '');
  // `title:` without a value is a missing title.
  const title = frontMatter.title ?? firstHeading(contentMd) ?? undefined;
  const fields: Record<string, unknown> = { ...frontMatter, title, contentMd };
  if (title === undefined) delete fields.title;
  return { fields, lineOf };
}

async function parseFrontMatter(
  yamlText: string,
  file: string | null,
): Promise<Pick<MarkdownPost, 'lineOf'> & { fields: Record<string, unknown> }> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(yamlText, {
    lineCounter: lines,
    prettyErrors: false,
    // A list as a name would become its text, with a warning of Node.
    stringKeys: true,
  });
  // The front matter begins on the second line of the file.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  // Warnings are about unknown tags, such as one that would create a function.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const line = lineAt(problem.pos[0]);
    const why = problem.code === 'NON_STRING_KEY' ? 'the name of a field must be text' : problem.message;
    throw fileError(file, line, `invalid YAML (${why})`);
  }
  if (document.contents === null) return { fields: {}, lineOf: () => null };
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // Nested aliases that would exhaust the memory.
    throw fileError(file, 2, error instanceof Error ? error.message : String(error));
  }
  const { contents } = document;
  if (!isObject(value) || !isMap(contents)) {
    throw fileError(file, 2, 'front matter must be lines of "name: value"');
  }
  const lineOf = (field: string) => {
    const pair = contents.items.find(({ key }) => isScalar(key) && String(key.value) === field);
    return isScalar(pair?.key) && pair.key.range ? lineAt(pair.key.range[0]) : null;
  };
  return { fields: value, lineOf };
}

/** The text of the first heading `# …` outside of code, or null. */
function firstHeading(markdown: string): string | null {
  let fence: string | null = null;
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
      continue;
    }
    if (fence !== null) continue;
    const title = /^ {0,3}#[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1];
    if (title) return title;
  }
  return null;
}

/**
 * The slug of a file: its name without extension and Jekyll's date, or the folder's name for Hugo's `index.md`. Lower
 * case, words joined by hyphens, without accents. Empty if no usable character is left.
 */
export function slugOfFile(file: string): string {
  const { name, dir } = path.parse(file);
  const stem = /^_?index$/i.test(name) ? path.basename(path.resolve('/', dir)) : name;
  return stem
    .replace(/^\d{4}-\d\d-\d\d-(?=.)/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 120)
    .replace(/^-+|-+$/g, '');
}
