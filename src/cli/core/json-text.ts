import { printableJson } from './sanitize.ts';

/** Nested deeper, text is indented no further: it would grow with the square of its depth. */
const deepestIndent = 100;

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Lays JSON text out anew, indented or on one line. Works on the text and not on parsed values, so that numbers, the
 * order of fields and repeated fields come out as the service sent them. `json` must be valid.
 */
export function formatJson(json: string, layout: 'pretty' | 'compact'): string {
  const pretty = layout === 'pretty';
  const parts: string[] = [];
  let depth = 0;
  let previous = '';
  const newLine = () => {
    if (pretty) parts.push(`\n${'  '.repeat(Math.min(depth, deepestIndent))}`);
  };
  for (const [part] of json.matchAll(token)) {
    const opened = previous === '{' || previous === '[';
    const closes = part === '}' || part === ']';
    if (closes) depth -= 1;
    if (opened !== closes || (previous === ',' && !closes)) newLine();
    parts.push(part === ':' && pretty ? ': ' : part);
    if (part === '{' || part === '[') depth += 1;
    previous = part;
  }
  return printableJson(parts.join(''));
}

/** The first number in JSON text that a double cannot hold, or null: parsed and written again, it would be another. */
export function inexactNumber(json: string): string | null {
  for (const [part] of json.matchAll(token)) {
    if (!/^-?\d/.test(part)) continue;
    const value = Number(part);
    const digits = part
      .replace(/e.*$/i, '')
      .replace(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    const vanishes = value === 0 && digits !== '';
    if (!Number.isFinite(value) || vanishes || (digits.length > 15 && String(value) !== part)) return part;
  }
  return null;
}
