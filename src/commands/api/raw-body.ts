import { isObject } from '../../base/json.ts';
import { invalidInput, usageError } from '../../cli/core/errors.ts';
import { getPath, parsePath, setPath } from '../../cli/core/field-path.ts';
import { optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { describeFile, readPair, readText, refuseTooDeep } from '../../cli/input/input-files.ts';
import type { InputSource } from '../../cli/input/stdin.ts';
import type { RawMethod } from './raw-request.ts';

/** Body or query of a raw request. */
export interface RawBody {
  /** The body's fields, or null if it has none or is not an object. */
  readonly value: Record<string, unknown> | null;
  /** JSON text to send unchanged. */
  readonly text?: string;
  /** `name=value` for the query. */
  readonly query: readonly string[];
}

/** The body from `--field` or `--input`, or the query from `--field` for GET and HEAD. Throws exit 2. */
export async function readRawBody(
  source: InputSource,
  parsed: ParsedCommand,
  method: RawMethod,
): Promise<RawBody> {
  const given = parsed.options.get('--field');
  const fields = typeof given === 'object' ? given : [];
  const file = optionValue(parsed, '--input');
  const isRead = method === 'GET' || method === 'HEAD';
  if (file === undefined) {
    if (isRead || fields.length === 0) return { value: null, query: fields };
    const value: Record<string, unknown> = {};
    for (const field of fields) setRawField(value, field);
    return { value, query: [] };
  }
  if (fields.length > 0)
    throw usageError('--field and --input cannot be used together', 'remove one of them');
  if (isRead) throw usageError(`${method} has no body, so --input cannot be used`, 'use -f for the query');
  const text = await readText(source, file, '--input');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidInput(
      `${describeFile(file)} (--input) is not JSON`,
      'the file must be JSON, because it is sent unchanged',
    );
  }
  refuseTooDeep(value, `${describeFile(file)} (--input)`);
  return { value: isObject(value) ? value : null, text, query: [] };
}

/** A step to a value: the name of a field, or null for the end of a list. */
type Step = string | null;

/**
 * Sets `path=value` in the body, as `gh api` does: `a[b]=1` and `a.b=1` set a field of an object, `a[]=1` appends to a
 * list, `a[][b]=1` sets a field of the last object, or of a new one if that field is set. Throws a usage error.
 */
function setRawField(body: Record<string, unknown>, text: string): void {
  const { path, value } = readPair(text, '--field');
  put(body, parseSteps(path), value);
}

function parseSteps(path: string): Step[] {
  const [, name = '', brackets = ''] = /^((?:\\.|[^\\[\]])+)((?:\[[^[\]]*\])*)$/s.exec(path) ?? [];
  const inner = [...brackets.matchAll(/\[([^\]]*)\]/g)].map(([, text = '']) => text);
  const isListOfLists = inner.some((text, index) => text === '' && inner[index + 1] === '');
  if (name === '' || isListOfLists) {
    throw invalidInput(
      `--field ${path}: invalid field name before =`,
      "for example --field 'sections[]=store' or --field 'settings[cashbackBp]=250'",
    );
  }
  // Within brackets, a dot is part of the name.
  const names = inner.map((text) => (text === '' ? null : parsePath(text.replaceAll('.', '\\.')).join('')));
  return [...parsePath(name), ...names];
}

function put(target: Record<string, unknown>, steps: readonly Step[], value: unknown): void {
  const end = steps.indexOf(null);
  const names = steps.slice(0, end === -1 ? steps.length : end).map(String);
  if (end === -1) {
    setPath(target, names, value);
    return;
  }
  const found = names.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    target,
  );
  const list: unknown[] = Array.isArray(found) ? found : [];
  setPath(target, names, list);
  const rest = steps.slice(end + 1);
  if (rest.length === 0) {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  const isOpen = isObject(last) && (rest.includes(null) || getPath(last, rest.map(String)) === undefined);
  const item = isOpen ? last : {};
  if (!isOpen) list.push(item);
  put(item, rest, value);
}
