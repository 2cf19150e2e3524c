import { type CommandDefinition, refusedFlags } from '../../src/cli/command/command-definition.ts';
import { globalGroup, globalOptions, listedOptions } from '../../src/cli/command/global-options.ts';
import { type ArgumentSpec, defaultGroup, type OptionSpec } from '../../src/cli/core/option-spec.ts';
import { keptFiles } from '../../src/cli/program/topics/files.ts';
import { type LoadedCommand, leavesOf } from '../command-definitions.ts';

/** What the pages need besides the command tree. */
export interface ManualFacts {
  readonly version: string;
  readonly exitCodes: readonly (readonly [code: string, meaning: string, applied: string])[];
  readonly variables: readonly (readonly [name: string, meaning: string])[];
}

/** The pages of the manual in section 1 by their names: the program, and one for each noun or single word. */
export function manualPages(commands: readonly LoadedCommand[], facts: ManualFacts): Record<string, string> {
  return {
    storectl: programPage(commands, facts),
    ...Object.fromEntries(
      commands.map((command) => [pageName(command.path), commandPage(command, facts.version)]),
    ),
  };
}

function pageName(path: string): string {
  return `storectl-${path}`;
}

function programPage(commands: readonly LoadedCommand[], facts: ManualFacts): string {
  return join([
    head('storectl', 'run an online store from the terminal', facts.version),
    '.SH SYNOPSIS',
    '.B storectl',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff(
      'storectl changes the settings of a store, writes posts, decides disputes, takes backups and restores them. ' +
        'Every change is recorded in a local history before it is sent, so you always know whether it was applied.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(({ path, summary, commands: verbs }) => [
      '.TP',
      `.BR ${escapeWord(pageName(path))} (1)`,
      roff(verbs.length === 0 ? `${summary}.` : `${summary}: ${verbs.map(lastWord).join(', ')}.`),
    ]),
    '.SH OPTIONS',
    'All commands accept these options, before or after their name. The pages of the commands describe the others.',
    ...options(globalOptions.filter(({ flag }) => !refusable.has(flag))),
    '.TP',
    '.BR \\-h ", " \\-\\-help',
    'Show help.',
    '.TP',
    '.BR \\-V ", " \\-\\-version',
    'Print the version.',
    '.SH EXIT STATUS',
    ...facts.exitCodes.flatMap(([code, meaning, applied]) => [
      '.TP',
      bold(code),
      roff(`${meaning}. Applied: ${applied}.`),
    ]),
    '.SH ENVIRONMENT',
    ...facts.variables.flatMap(([name, meaning]) => ['.TP', bold(name), roff(meaning)]),
    '.SH FILES',
    ...keptFiles.flatMap(([name, meaning]) => ['.TP', `.I ${escapeWord(name)}`, roff(meaning)]),
    '.SH EXAMPLES',
    ...examples(['demo info', '--demo backup create --label first --sections store']),
    '.SH SEE ALSO',
    commands.map(({ path }) => `.BR ${escapeWord(pageName(path))} (1)`).join(',\n'),
  ]);
}

function commandPage(command: LoadedCommand, version: string): string {
  const { path, summary, definition } = command;
  const name = pageName(path);
  const all = leavesOf(command);
  return join([
    head(name, lowerFirst(summary), version),
    '.SH SYNOPSIS',
    all.map(synopsis).join('\n.br\n'),
    '.SH DESCRIPTION',
    ...(definition !== null
      ? details(command)
      : [`${roff(summary)}.`, ...all.flatMap((verb) => [`.SS ${quoted(verb.path)}`, ...details(verb)])]),
    '.SH SEE ALSO',
    '.BR storectl (1)',
    'describes the options of all commands, the exit codes and the environment.',
  ]);
}

function synopsis({ path, definition }: LoadedCommand): string {
  return [
    `.B storectl ${escapeWord(path)}`,
    ...(definition?.arguments ?? []).map(({ name, variadic, optional }) => {
      const shown = escapeWord(name);
      const dots = variadic ? '...' : '';
      return optional ? `.RI [ ${shown} ${dots}]\\&` : `.IR ${shown} ${dots}`.trimEnd();
    }),
    '.RI [ options ]',
  ].join('\n');
}

function details({ definition }: LoadedCommand): string[] {
  if (definition === null) return [];
  return [
    roff(definition.description),
    ...(definition.details === undefined ? [] : ['.PP', roff(definition.details)]),
    ...(definition.arguments ?? []).flatMap(argument),
    ...options([
      ...listedOptions(definition.listedGlobals),
      ...(definition.options ?? []),
      ...sharedOptions(definition),
    ]),
    '.PP',
    'Examples:',
    '.PP',
    ...examples(definition.examples),
    ...(definition.notes ? ['.PP', '.nf', ...definition.notes.map(roff), '.fi'] : []),
  ];
}

/** Options that most commands accept, and some refuse. */
const refusable: ReadonlySet<string> = new Set(refusedFlags({ withoutJson: true }));

function sharedOptions(definition: CommandDefinition): OptionSpec[] {
  const refused = refusedFlags(definition);
  return globalOptions
    .filter(({ flag }) => refusable.has(flag) && !refused.includes(flag))
    .map((option) => ({ ...option, group: 'Output:' }));
}

function argument({ name, description }: ArgumentSpec): string[] {
  return ['.TP', `.I ${escapeWord(name)}`, sentence(description)];
}

/** Options under the headings of the help; global options have no heading. */
function options(specs: readonly OptionSpec[]): string[] {
  const groups = [...new Set(specs.map(({ group = defaultGroup }) => group))];
  return groups.flatMap((group) => [
    ...(group === globalGroup ? [] : ['.PP', roff(group)]),
    ...specs.filter((spec) => (spec.group ?? defaultGroup) === group).flatMap(option),
  ]);
}

function option({ flag, short, value, negatable, description }: OptionSpec): string[] {
  const names = short === undefined ? escapeWord(flag) : `${escapeWord(short)} ", " ${escapeWord(flag)}`;
  const off = negatable ? ` ", " ${escapeWord(flag.replace('--', '--no-'))}` : '';
  const lines = ['.TP', `.BR ${names}${off}`];
  if (value !== undefined) lines[1] = `.BR ${names} " \\fI${escapeWord(value)}\\fP"`;
  return [...lines, sentence(description)];
}

function examples(lines: readonly string[]): string[] {
  return ['.RS 4', '.nf', ...lines.map((line) => roff(`storectl ${line}`)), '.fi', '.RE'];
}

function head(name: string, summary: string, version: string): string {
  return [
    `.\\" Generated: run "npm run generate" instead of editing it.`,
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`storectl ${version}`)} "User Commands"`,
    // No hyphenation and no justification: flags and ids must stay intact.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escapeWord(name)} \\- ${roff(summary)}`,
  ].join('\n');
}

function join(parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}

function bold(text: string): string {
  return `.B ${escapeWord(text)}`;
}

function sentence(text: string): string {
  return roff(/[.!?]$/.test(text) ? text : `${text}.`);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function lastWord({ path }: LoadedCommand): string {
  return path.split(' ').at(-1) ?? path;
}

/**
 * Escapes text for a separate line. In roff a backslash starts an escape, an ASCII hyphen and quotes are replaced by
 * typographic ones, and a dot or an apostrophe at the start of a line makes it a request.
 */
function roff(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/[^\x20-\x7e]/gu, (character) => `\\[u${hex(character)}]`)
    .replace(/^\./, '\\&.');
}

/** Escapes text for an argument of a request, where double quotes group words. */
function escapeWord(text: string): string {
  return roff(text).replaceAll('"', '\\(dq');
}

function quoted(text: string): string {
  return `"${escapeWord(text)}"`;
}

/** At least four digits, as groff requires. */
function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
