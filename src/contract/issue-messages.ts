import type * as z from 'zod/mini';

type Issue = z.core.$ZodRawIssue;

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a whole URL that begins with https://',
  guid: 'a UUID',
  uuid: 'a UUID',
};

/** The same without the value, which may be a secret in a response. */
export function describeIssueWithoutValue(issue: Issue): string {
  return describeIssue(issue, typeof issue.input === 'string' ? ' (got text)' : gotValue(issue.input));
}

/**
 * What is wrong with a value, to follow the name of its flag or field: `must be a whole number (got 2.5)`. `got` is the
 * part in parentheses.
 */
export function describeIssue(issue: Issue, got = gotValue(issue.input)): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${types[issue.expected] ?? issue.expected}${got}`;
    case 'invalid_format':
      return formats[issue.format] === undefined
        ? 'has an invalid format'
        : `must be ${formats[issue.format]}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${got}`;
    case 'too_small':
      return describeLimit('at least', issue.origin, Number(issue.minimum));
    case 'too_big':
      return describeLimit('at most', issue.origin, Number(issue.maximum));
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}${got}`;
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has an invalid name';
    default:
      return 'is not valid';
  }
}

function describeLimit(limit: string, origin: string, amount: number): string {
  const unit = { string: 'character', array: 'item', set: 'item', file: 'byte' }[origin];
  if (unit === undefined) return `must be ${limit} ${amount}`;
  return `must have ${limit} ${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Objects and long texts are not repeated. */
function gotValue(input: unknown): string {
  if (Array.isArray(input)) return ' (got a list)';
  if (typeof input === 'object' && input !== null) return ' (got an object)';
  const text = JSON.stringify(input) ?? 'nothing';
  return text.length > 40 ? ' (got a longer text)' : ` (got ${text})`;
}
