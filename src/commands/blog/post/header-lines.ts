import type { Field } from './fields.ts';

/** Lines at the very beginning, up to an empty one; a line that is indented continues the one before. */
const header = /^(?:[A-Za-z][\w-]*:(?:[ \t].*)?\r?\n(?:[ \t]+\S.*\r?\n)*)+(?=[ \t]*(?:\r?\n|$))/;

/** Fields of Pelican and MultiMarkdown. Where a title stands with one of them, the lines are no text of the post. */
const otherNames = /^(?:date|modified|slug|category|tags|keywords|authors?|summary|status|lang|template):/im;

/**
 * The fields that stand above the content without any mark, as Pelican has them: `Title: …`, `Date: …`, then an empty line. Each
 * value is the text behind the colon. Null if the file does not begin so. `end` is where they end.
 */
export function readHeaderLines(source: string): { fields: readonly Field[]; end: number } | null {
  const text = header.exec(source)?.[0];
  if (text === undefined || !/^title:[ \t]*\S/im.test(text) || !otherNames.test(text)) return null;
  const fields: Field[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, name, value = ''] = /^([A-Za-z][\w-]*):(.*)$/.exec(line) ?? [];
    const last = fields.at(-1);
    if (name !== undefined)
      fields.push({ name, line: index + 1, value: value.trim(), written: value.trim() });
    else if (last !== undefined && line.trim() !== '') {
      const whole = `${String(last.written)} ${line.trim()}`.trim();
      fields[fields.length - 1] = { ...last, value: whole, written: whole };
    }
  }
  return { fields, end: text.length };
}
