import { parse } from 'node:path';
import { withoutComments } from './without-comments.ts';

/**
 * The first heading of level 1 as plain text, or null: `# …`, underlined with `===`, or `<h1>`, and never one in code or in a
 * comment.
 */
export function firstHeading(markdown: string): string | null {
  const lines = withoutComments(markdown).split(/\r?\n/);
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || /^ {0,3}[`~]+\s*$/.test(line))) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
      continue;
    }
    if (fence !== null) continue;
    const title = headingAt(lines, index);
    if (title) return title;
  }
  return null;
}

function headingAt(lines: readonly string[], index: number): string | null {
  const line = (lines[index] ?? '').slice(0, maxHeading);
  const marked = /^ {0,3}#[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1];
  if (marked !== undefined) return plainText(marked);
  const html = !/^\s*<h1/i.test(line)
    ? undefined
    : /^\s*<h1(?:\s[^>]*)?>([\s\S]*?)<\/h1>/i.exec(lines.slice(index, index + 5).join('\n'))?.[1];
  if (html !== undefined) return plainText(html);
  const isUnderlined = /^ {0,3}=+[ \t]*$/.test(lines[index + 1] ?? '');
  return isUnderlined && /^ {0,3}[^\s>#-]/.test(line) && (lines[index - 1] ?? '').trim() === ''
    ? plainText(line)
    : null;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
};

/** No title is longer, and the expressions below need time that grows with the square of a line. */
const maxHeading = 2000;

/** A line of Markdown without its marks: the text of links and code, and the description of images. */
function plainText(markdown: string): string {
  const codes: string[] = [];
  const kept = (text: string) => `\ue000${codes.push(text) - 1}\ue000`;
  return markdown
    .slice(0, maxHeading)
    .replace(/(`+)(.+?)\1(?!`)/g, (_, _ticks, code: string) => kept(code.trim()))
    .replace(/\\([!-/:-@[-`{-~])/g, (_, character: string) => kept(character))
    .replace(/\s*\{[#.:][^}]*\}\s*$/, '')
    .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/!\[([^\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])/g, '$1')
    .replace(/\[\^[^\]]*\]/g, '')
    .replace(/\[((?:[^[\]]|\[[^\]]*\])*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])/g, '$1')
    .replace(/<((?:https?|mailto):[^>\s]+)>/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\ue000(\d+)\ue000/g, (_, index: string) => codes[Number(index)] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A name without the date at its beginning, which Jekyll wants there. */
function withoutDate(name: string): string {
  return name.replace(/^\d{4}-\d{1,2}-\d{1,2}[-_ ](?=.)/, '');
}

/** Files whose folder has the name of the post: Hugo's bundles, with a language or without, and those that Git hosts show. */
const nameless = /^(?:_?index|readme)(?=\.|$)/i;

/** The name that a file gives its post: its own without extension and date, or that of its folder. `file` is absolute. */
export function nameOfFile(file: string): string {
  const { name, dir } = parse(file);
  const folder = parse(dir).base;
  return withoutDate(nameless.test(name) && folder !== '' ? name.replace(nameless, folder) : name);
}

/** The name of a file in words: `spring-sale.md` is `Spring sale`. */
export function titleOfFile(file: string): string {
  const name = nameOfFile(file);
  if (/^\d{4}-\d\d-\d\d$/.test(name)) return name;
  const words = name.replace(/[\s_-]+/g, ' ').trim();
  return words.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
