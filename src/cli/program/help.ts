import type { Command, Help, Option } from 'commander';
import { globalGroup } from '../command/global-options.ts';
import { advancedGroup } from '../core/option-spec.ts';
import { isGroup, tree } from './command-tree.ts';
import { helpColumns } from './prerendered.ts';

/** The description of a longer term goes on the next line, so that one long name does not indent all descriptions. */
const termColumns = 36;

/** With less room, descriptions go below their terms. */
const minDescriptionColumns = 44;

/** Switches that `--no-…` turns off. The help shows both forms in one line. */
export const negatableOptions = new WeakSet<Option>();

/** The examples of a command, and what stands below them: before the options that few people need. */
export const examplesOf = new WeakMap<Command, readonly string[]>();

/** Usage, description, arguments, commands, own options and examples. Only the program's help lists the global options. */
export function formatHelp(command: Command, helper: Help): string {
  const width = Math.min(helper.padWidth(command, helper), termColumns);
  const columns = helper.helpWidth ?? helpColumns;
  const item = (term: string, description: string) =>
    columns - width < minDescriptionColumns
      ? `  ${term}\n${helper.boxWrap(description, columns - 6).replace(/^/gm, '      ')}`
      : term.length <= width
        ? helper.formatItem(term, width, description, helper)
        : `  ${term}\n${helper.formatItem('', width, description, helper)}`;
  const description = helper.commandDescription(command).replaceAll('\n', ' ');
  const sections: string[] = [`Usage: ${helper.commandUsage(command)}`, helper.boxWrap(description, columns)];
  const add = (title: string, items: readonly string[]) => {
    if (items.length > 0) sections.push([title, ...items].join('\n'));
  };

  add(
    'Arguments:',
    helper
      .visibleArguments(command)
      .map((argument) => item(helper.argumentTerm(argument), helper.argumentDescription(argument))),
  );
  add(
    'Commands:',
    helper
      .visibleCommands(command)
      .map((sub) => item(helper.subcommandTerm(sub), helper.subcommandDescription(sub))),
  );
  const options = helper.visibleOptions(command);
  const groups = new Set(options.map(groupOf));
  groups.delete(globalGroup);
  groups.delete(advancedGroup);
  const isProgram = command.parent === null;
  const addOptions = (group: string) =>
    add(
      group,
      options
        .filter((option) => groupOf(option) === group)
        .map((option) => item(helper.optionTerm(option), helper.optionDescription(option))),
    );
  for (const group of isProgram ? [...groups, globalGroup] : groups) addOptions(group);
  sections.push(...(examplesOf.get(command) ?? []));
  addOptions(advancedGroup);
  return `${sections.join('\n\n')}\n`;
}

function groupOf(option: Option): string {
  return option.helpGroupHeading ?? globalGroup;
}

/** The line that replaces the global options in the help of a noun or a command. It fits 80 columns. */
export function globalOptionsLine(refused: readonly string[] = []): string {
  const examples = ['--profile', '--json', '--dry-run'];
  const shown = examples.filter((flag) => !refused.includes(flag));
  return `Global options such as ${shown.join(', ')}: see \`storectl --help\`.`;
}

/** `--[no-]enabled` stands for both forms of a switch. */
export function optionTerm(option: Option): string {
  return negatableOptions.has(option) ? option.flags.replace('--', '--[no-]') : option.flags;
}

/** A noun with its verbs; only its name for one that has its own readers. */
export function subcommandTerm(command: Command): string {
  const entry = command.parent?.parent === null ? tree[command.name()] : undefined;
  if (entry === undefined || !isGroup(entry) || command.name() === 'service') return command.name();
  return `${command.name()} ${Object.keys(entry.commands).join('|')}`;
}
