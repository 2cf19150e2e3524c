import { isObject } from '../../base/json.ts';
import { type Tool, tools } from './tools.ts';

type Described = Readonly<Record<string, unknown>>;

/** An error of a command in the words of its tool: inputs instead of flags, tools instead of commands. */
export function inToolWords({ message, hint, fields, ...others }: Described, tool: Tool): Described {
  const wrong = Array.isArray(fields) ? fields.filter(isObject) : [];
  const inputs = new Map([
    ...wrong.map(({ flag, field }) => [String(flag), String(field)] as const),
    ...Object.entries(tool.options).map(([name, { flag }]) => [flag, name] as const),
    ...tool.positionals.map((name) => [`<${name}>`, name] as const),
  ]);
  const translate = (text: unknown) =>
    String(text)
      .replace(/`storectl (?:--demo|--profile \S+) /g, '`storectl ')
      .replace(/`storectl ([^`]+)`/g, (command, words: string) => describeCommand(words) ?? command)
      .replace(/(--[a-z-]+|<\w+>)( [A-Z][A-Z,|]*)?/g, (given, flag: string) => inputs.get(flag) ?? given)
      .replace('run the command again', 'call again');
  const advice = hint === undefined ? undefined : translate(hint);
  // What only a command line can do is of no use here. The exit code says what to do next.
  const isUseful = advice !== undefined && !/storectl |--[a-z]|command line/.test(advice);
  return {
    ...others,
    ...(message !== undefined && { message: translate(message) }),
    ...(isUseful && { hint: advice }),
    ...(wrong.length > 0 && { fields: wrong.map(({ flag: _, ...field }) => field) }),
  };
}

/** `history show ID` is the tool `history_show with id ID`. Null for a command that is no tool. */
function describeCommand(command: string): string | null {
  const [one = '', two = '', ...more] = command.split(' ');
  const isNoun = tools.some(({ words }) => words.join(' ') === `${one} ${two}`);
  const found = tools.find(({ words }) => words.join(' ') === (isNoun ? `${one} ${two}` : one));
  if (found === undefined) return null;
  const [value] = isNoun ? more : [two];
  return value && !value.startsWith('-')
    ? `${found.name} with ${found.positionals[0] ?? 'id'} ${value}`
    : found.name;
}
