import { printableJson } from './sanitize.ts';

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
    if (pretty) parts.push(`\n${'  '.repeat(depth)}`);
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
