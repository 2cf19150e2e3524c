import { type Printable, printableJson } from './sanitize.ts';

/** Deeper levels are not indented further: the text would grow with the square of its depth. */
const maxIndentDepth = 100;

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Lays JSON text out anew, indented or on one line. Works on the text and not on parsed values, so that numbers, the
 * order of fields and repeated fields come out as the service sent them. `json` must be valid.
 */
export function formatJson(json: string, layout: 'pretty' | 'compact'): Printable {
  const pretty = layout === 'pretty';
  const parts: string[] = [];
  let depth = 0;
  let previous = '';
  const newLine = () => {
    if (pretty) parts.push(`\n${'  '.repeat(Math.min(depth, maxIndentDepth))}`);
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

/** The first number in JSON text that would change when parsed and written again, or null. */
export function inexactNumber(json: string): string | null {
  for (const [part] of json.matchAll(token)) {
    if (!/^-?\d/.test(part)) continue;
    const value = Number(part);
    const digits = part
      .replace(/e.*$/i, '')
      .replace(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    const underflows = value === 0 && digits !== '';
    if (!Number.isFinite(value) || underflows || (digits.length > 15 && String(value) !== part)) return part;
  }
  return null;
}

/** Levels of nested objects and lists that are accepted. A few times as many would overflow the stack. */
export const maxNestingDepth = 500;

/** Whether objects and lists are nested deeper than {@link maxNestingDepth}. A loop, because recursion could overflow. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNestingDepth) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
