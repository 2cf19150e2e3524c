/** Where code or a comment may begin. Code is looked for first: what is in it is no comment. */
const openings =
  /(?<fence>^ {0,3}(?:`{3,}(?=[^`\n]*$)|~{3,}))|(?<code>`)|<!--|\{\/\*|<(?<tag>pre|script|style)[\s>]/gim;

/**
 * Markdown in which comments of HTML and MDX, and code that spans lines in HTML, are empty lines. Each character is looked at a few
 * times, however often something begins that never ends.
 */
export function withoutComments(markdown: string): string {
  /** What was looked for to the end, and is not there. */
  const missing = new Set<string>();
  /** Where the next one of these ends; null if none does. */
  const endAfter = (closing: RegExp, from: number): number | null => {
    if (missing.has(closing.source)) return null;
    closing.lastIndex = from;
    const found = closing.exec(markdown);
    if (found === null) missing.add(closing.source);
    return found && found.index + found[0].length;
  };
  const endOf = ({ 0: opening, groups }: RegExpExecArray, from: number): number | null => {
    if (groups?.fence !== undefined) {
      // A block of code that is not closed goes on to the end.
      return endAfter(closingFence(groups.fence.trim()), from) ?? markdown.length;
    }
    if (groups?.code !== undefined) return endOfCode(markdown, from);
    if (groups?.tag !== undefined) return endAfter(new RegExp(`</${groups.tag}>`, 'gi'), from);
    return opening === '<!--' ? (endAfter(/-->/g, from) ?? markdown.length) : endAfter(/\*\/\}/g, from);
  };

  const parts: string[] = [];
  let kept = 0;
  openings.lastIndex = 0;
  for (let found = openings.exec(markdown); found !== null; found = openings.exec(markdown)) {
    const { index, groups } = found;
    const end = endOf(found, openings.lastIndex);
    if (end === null) continue;
    openings.lastIndex = end;
    if (groups?.fence !== undefined || groups?.code !== undefined) continue;
    parts.push(markdown.slice(kept, index), markdown.slice(index, end).replace(/[^\n]+/g, ''));
    kept = end;
  }
  return parts.join('') + markdown.slice(kept);
}

/** The line that ends a block of code: at least as long as the one that begins it. */
function closingFence(opening: string): RegExp {
  return new RegExp(`^ {0,3}${opening.charAt(0)}{${opening.length},}[ \\t]*$`, 'gm');
}

/** Code in a line; null where there is none between two backticks, or no second one. */
function endOfCode(markdown: string, from: number): number | null {
  const end = markdown.indexOf('`', from);
  if (end === -1 || end === from) return null;
  return markdown.slice(from, end).includes('\n') ? null : end + 1;
}
