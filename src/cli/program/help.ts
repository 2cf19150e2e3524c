import { type Command, Help, type Option } from 'commander';
import { type CommandDefinition, refusedFlags } from '../command/command-definition.ts';
import { globalGroup } from '../command/global-options.ts';
import { advancedGroup } from '../core/option-spec.ts';
import { headings, isGroup, tree } from './command-tree.ts';
import { helpColumns } from './rendered-help.ts';
import type { Topic, TopicSection } from './topics/topic.ts';
import { topics } from './topics.ts';

/** The description of a longer term goes on the next line, so that one long name does not indent all descriptions. */
const termColumns = 36;

/** With less room, descriptions go below their terms. */
const minDescriptionColumns = 44;

/** Switches that `--no-…` turns off. The help shows both forms in one line. */
export const negatableOptions = new WeakSet<Option>();

const standard = new Help();

/** What differs from commander's own help. Where the output has no colors, commander removes them. */
const layout: Partial<Help> & ThisType<Help> = {
  minWidthToWrap: 10,
  styleTitle: bold,
  styleUsage(usage) {
    const start = 'Usage: '.length;
    return indent(usage, start, this).trimStart();
  },
  optionTerm,
  subcommandTerm,
  visibleOptions: (command) =>
    optionsIn(command, (group) => group !== globalGroup && group !== advancedGroup),
  padWidth: (command, helper) => Math.min(standard.padWidth(command, helper), termColumns),
  formatItem(term, width, description, helper) {
    const columns = helper.helpWidth ?? helpColumns;
    if (columns - width < minDescriptionColumns) return `  ${term}\n${indent(description, 6, helper)}`;
    const item = (shown: string) => Help.prototype.formatItem.call(helper, shown, width, description, helper);
    return term.length <= width ? item(term) : `  ${term}\n${item('')}`;
  },
};

function bold(heading: string): string {
  return `\u001b[1m${heading}\u001b[22m`;
}

/** The help of a command. Only the program's lists the global options and the topics, after its commands. */
export function formatHelp(command: Command, { helpWidth = helpColumns }: Help): string {
  const helper = helperFor(helpWidth);
  const help = helper.formatHelp(command, helper);
  if (command.parent !== null) return help;
  const width = helper.padWidth(command, helper);
  const options = optionsIn(command, (group) => group === globalGroup).map(
    (option) => [helper.optionTerm(option), helper.optionDescription(option)] as const,
  );
  const listed = Object.entries(topics).map(([name, { summary }]) => [name, summary] as const);
  const items = (entries: typeof listed) =>
    entries.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper));
  return [
    help,
    ...[bold(globalGroup), ...items(options), ''],
    ...[bold('Help topics:'), ...items(listed), ''],
    bold('Try it without an account:'),
    ...commandLines(['demo info', '--demo backup create --label first --sections store'], helpWidth),
    '',
    helper.boxWrap('More: `storectl COMMAND --help` and `storectl help TOPIC`.', helpWidth),
    '',
  ].join('\n');
}

/** The text of a topic. */
export function formatTopic({ title, sections }: Topic, { helpWidth = helpColumns }: Help): string {
  const helper = helperFor(helpWidth);
  const section = ({ heading, paragraphs = [], items = [], examples = [] }: TopicSection) => {
    const width = Math.max(...items.map(([term]) => term.length));
    const item = ([term, meaning]: readonly [string, string]) =>
      width > termColumns
        ? `${indent(term, 2, helper)}\n${indent(meaning, 6, helper)}`
        : helper.formatItem(term, width, meaning, helper);
    const blocks = [
      ...paragraphs.map((text) => indent(text, heading === undefined ? 0 : 2, helper)),
      items.map(item).join('\n'),
      commandLines(examples, helpWidth).join('\n'),
    ].filter((block) => block !== '');
    return `${heading === undefined ? '' : `${bold(heading)}\n`}${blocks.join('\n\n')}\n`;
  };
  return [`${bold(title)}\n`, ...sections.map(section)].join('\n');
}

/** What follows the options that most people use: examples, notes, the other options, and where the global ones are. */
export function formatEnding(command: Command, definition: CommandDefinition, columns: number): string {
  const { examples, notes = [] } = definition;
  const helper = helperFor(columns);
  const advanced = optionsIn(command, (group) => group === advancedGroup);
  const longest = Math.max(0, ...advanced.map((option) => optionTerm(option).length));
  const width = Math.min(Math.max(longest, helper.padWidth(command, helper)), termColumns);
  const formatOption = (option: Option) =>
    helper.formatItem(optionTerm(option), width, helper.optionDescription(option), helper);
  const parts = [
    [bold('Examples:'), ...commandLines(examples, columns)],
    notes.map((note) => indent(note.trimStart(), note.length - note.trimStart().length, helper)),
    advanced.length === 0 ? [] : [bold(advancedGroup), ...advanced.map(formatOption)],
    [globalOptionsLine(columns, refusedFlags(definition))],
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.join('\n')}`)
    .join('\n');
}

/** The line that replaces the global options in the help of a noun or a command. */
export function globalOptionsLine(columns: number, refused: readonly string[] = []): string {
  const shown = ['--profile', '--json', '--dry-run'].filter((flag) => !refused.includes(flag));
  const text = `Global options such as ${shown.join(', ')}: see \`storectl --help\`.`;
  return helperFor(columns).boxWrap(text, columns);
}

function helperFor(helpWidth: number): Help {
  return Object.assign(new Help(), layout, { helpWidth });
}

function indent(text: string, columns: number, helper: Help): string {
  const wrapped = helper.boxWrap(text, (helper.helpWidth ?? helpColumns) - columns);
  return wrapped.replace(/^/gm, ' '.repeat(columns));
}

/** Words of a command line, a flag with its value as one. */
const commandWord = /(?:--\S+ (?!-))?(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/** Command lines. A long one goes on after a backslash, between its words, so that it can be copied. */
function commandLines(examples: readonly string[], columns: number): string[] {
  return examples.flatMap((example) => {
    const words = example.match(commandWord) ?? [];
    const lines = ['  $ storectl'];
    for (const [index, word] of words.entries()) {
      const longer = `${lines.at(-1)} ${word}`;
      if (longer.length + (index < words.length - 1 ? 2 : 0) <= columns) lines[lines.length - 1] = longer;
      else lines.push(`      ${word}`);
    }
    return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
  });
}

function optionsIn(command: Command, isWanted: (group: string) => boolean): Option[] {
  return standard
    .visibleOptions(command)
    .filter(({ helpGroupHeading = globalGroup }) => isWanted(helpGroupHeading));
}

/** `--[no-]enabled` stands for both forms of a switch. */
export function optionTerm(option: Option): string {
  return negatableOptions.has(option) ? option.flags.replace('--', '--[no-]') : option.flags;
}

/** The heading of a noun or a single word in the program's help. */
export function headingOf(name: string): string | undefined {
  return Object.entries(headings).find(([, names]) => names.includes(name))?.[0];
}

/** A noun with its verbs. */
function subcommandTerm(command: Command): string {
  const entry = command.parent?.parent === null ? tree[command.name()] : undefined;
  if (entry === undefined || !isGroup(entry)) return command.name();
  const { commands } = entry;
  // A noun with nouns below it, which its help lists.
  if (Object.values(commands).some(isGroup)) return command.name();
  return `${command.name()} ${Object.keys(commands).join('|')}`;
}
