import type { Command, Help, Option } from 'commander';
import { globalGroup } from '../command/global-options.ts';
import { isGroup, tree } from './command-tree.ts';
import { helpColumns } from './prerendered.ts';

/** The description of a longer term goes on the next line, so that one long name does not indent all descriptions. */
const termColumns = 36;

/** With less room, descriptions go below their terms. */
const minDescriptionColumns = 44;

/** Switches that `--no-…` turns off. The help shows both forms in one line. */
export const negatableOptions = new WeakSet<Option>();

/** Usage, description, arguments, commands and own options. Only the program's help lists the global options. */
export function formatHelp(command: Command, helper: Help): string {
  const width = Math.min(helper.padWidth(command, helper), termColumns);
  const columns = helper.helpWidth ?? helpColumns;
  const item = (term: string, description: string) =>
    columns - width < minDescriptionColumns
      ? `  ${term}\n${helper.boxWrap(description, columns - 6).replace(/^/gm, '      ')}`
      : term.length <= width
        ? helper.formatItem(term, width, description, helper)
        : `  ${brokenAtBars(term, columns - 6)}\n${helper.formatItem('', width, description, helper)}`;
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
  const isProgram = command.parent === null;
  for (const group of isProgram ? [...groups, globalGroup] : groups) {
    add(
      group,
      options
        .filter((option) => groupOf(option) === group)
        .map((option) => item(helper.optionTerm(option), helper.optionDescription(option))),
    );
  }
  return `${sections.join('\n\n')}\n`;
}

/** A noun with more verbs than fit on a line goes on in the next one. */
function brokenAtBars(term: string, width: number): string {
  return term.replace(new RegExp(`(?=.{${width + 1}})(.{1,${width}}\\|)`, 'g'), '$1\n    ');
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

/** A noun with its verbs. */
export function subcommandTerm(command: Command): string {
  const entry = command.parent?.parent === null ? tree[command.name()] : undefined;
  if (entry === undefined || !isGroup(entry)) return command.name();
  const { commands } = entry;
  // A noun with nouns below it, which its help lists.
  if (Object.values(commands).some(isGroup)) return command.name();
  return `${command.name()} ${Object.keys(commands).join('|')}`;
}
