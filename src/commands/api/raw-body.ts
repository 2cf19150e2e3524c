import { isObject, valueAt } from '../../base/json.ts';
import { invalidInput, notTogether, usageError } from '../../cli/core/errors.ts';
import { parsePath, setPath } from '../../cli/core/field-path.ts';
import { optionValue, optionValues, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { describeFile, parseDocument, readInputText, readPair } from '../../cli/input/input-files.ts';
import type { InputSource } from '../../cli/input/stdin.ts';
import type { HttpMethod } from '../../contract/operation.ts';

/** Body or query of a raw request. */
export interface RawBody {
  /** The body's fields, or null if it has none or is not an object. */
  readonly value: Record<string, unknown> | null;
  /** JSON text to send unchanged. */
  readonly text?: string;
  /** `name=value` for the query. */
  readonly query: readonly string[];
}

/** The body from `--field` or `--input`, or the query from `--field` of GET. Throws exit 2. */
export async function readRawBody(
  source: InputSource,
  parsed: ParsedCommand,
  method: HttpMethod,
): Promise<RawBody> {
  const fields = optionValues(parsed, '--field');
  const file = optionValue(parsed, '--input');
  if (file === undefined) {
    if (method === 'GET' || fields.length === 0) return { value: null, query: fields };
    const value: Record<string, unknown> = {};
    for (const field of fields) await setRawField(value, field);
    return { value, query: [] };
  }
  if (fields.length > 0) throw notTogether('--field', '--input');
  if (method === 'GET')
    throw usageError('GET has no body, so --input cannot be used', 'use -f for the query');
  const text = await readInputText(source, file, '--input');
  // The text is sent unchanged, so numbers of any length arrive as they are.
  const { value } = await parseDocument(text, `${describeFile(file)} (--input)`, { syntax: 'JSON' });
  return { value: isObject(value) ? value : null, text, query: [] };
}

/** Sets `path=value` in the body; `path[]=value` appends to a list. Throws a usage error. */
async function setRawField(body: Record<string, unknown>, text: string): Promise<void> {
  const { path, value } = await readPair(text, '--field');
  const isItem = path.endsWith('[]');
  const names = parsePath(isItem ? path.slice(0, -2) : path);
  if (names.some((name) => /[[\]]/.test(name))) {
    throw invalidInput(
      `--field ${path}: invalid field name before =`,
      "for example --field 'sections[]=store' or --field settings.cashbackBp=250; --input FILE takes any JSON",
    );
  }
  const before = valueAt(body, names);
  setPath(body, names, isItem ? [...(Array.isArray(before) ? before : []), value] : value);
}
