import * as yaml from 'yaml';

const tabReason = 'a tab at its beginning; YAML is indented with spaces';

/** Where a problem of YAML is and what it is, as a clause. The parser's own words are for authors of parsers. */
export function reasonOfYaml(
  { code, pos: [start, end] }: yaml.YAMLError,
  text: string,
  document: yaml.Document,
): { readonly offset: number; readonly reason: string } {
  const found = text.slice(start, Math.max(end, start + 1));
  const at = (reason: string, offset = start) => ({ offset, reason });
  switch (code) {
    case 'TAB_AS_INDENT':
      return at(tabReason);
    case 'BLOCK_AS_IMPLICIT_KEY':
      return isOnOneLine(text, start)
        ? at('a text with a colon and a space in it must be in quotes')
        : at('indented although the line above has a value', nextLine(text, start));
    case 'MULTILINE_IMPLICIT_KEY':
      return at('not "name: value", with a space after the colon');
    case 'MISSING_CHAR':
    case 'BAD_INDENT':
    case 'BLOCK_IN_FLOW':
      return /^\s*\t/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1))
        ? at(tabReason)
        : missingCharacter(found, start, document);
    case 'BAD_SCALAR_START':
      return at(`a text that begins with ${found[0]} must be in quotes`);
    case 'BAD_DQ_ESCAPE':
      return at('an invalid escape; a backslash in double quotes is written \\\\');
    case 'MULTIPLE_DOCS':
      return at('a second document (---); only one can be read');
    case 'NON_STRING_KEY':
      return at('the name of a field must be text');
    case 'TAG_RESOLVE_FAILED':
      return at(`the tag ${found} is not known; a text that begins with ! must be in quotes`);
    case 'RESOURCE_EXHAUSTION':
      return at('nested too deeply');
    case 'UNEXPECTED_TOKEN':
      return at(`${JSON.stringify(found.split('\n')[0])} is not expected; put the whole text in quotes`);
    default:
      return at('not YAML');
  }
}

/** A quote or bracket without its partner, or a line that is indented as no other. */
function missingCharacter(found: string, start: number, document: yaml.Document) {
  let open: { offset: number; reason: string } | null = null;
  yaml.visit(document, {
    Node(_key, node) {
      const [from = 0, , to = 0] = node.range ?? [];
      if (from >= start || to < start) return;
      const isQuoted = yaml.isScalar(node) && /^QUOTE_/.test(node.type ?? '');
      if (isQuoted) open = { offset: from, reason: 'a text without its closing quote' };
      else if (yaml.isCollection(node) && node.flow)
        open = { offset: from, reason: 'a bracket is not closed, or a comma is missing' };
    },
  });
  if (found.startsWith('#')) return { offset: start, reason: 'a comment needs a space before its #' };
  return open ?? { offset: start, reason: 'not indented like the lines above, or without "name: value"' };
}

function isOnOneLine(text: string, start: number): boolean {
  const line = text.slice(start).split('\n', 1)[0] ?? '';
  return /:\s/.test(`${line}\n`);
}

function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? offset : end + 1;
}
