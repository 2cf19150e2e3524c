import { type Command, Help, type Option } from 'commander';
import { globalGroup } from '../command/global-options.ts';
import { isGroup, tree } from './command-tree.ts';
import { helpColumns } from './rendered-help.ts';

/** The description of a longer term goes on the next line, so that one long name does not indent all descriptions. */
const termColumns = 36;

/** With less room, descriptions go below their terms. */
const minDescriptionColumns = 44;

/** Switches that `--no-…` turns off. The help shows both forms in one line. */
export const negatableOptions = new WeakSet<Option>();

const standard = new Help();

/** What differs from commander's own help. */
const layout: Partial<Help> = {
  minWidthToWrap: 10,
  optionTerm,
  subcommandTerm,
  visibleOptions: (command) => optionsIn(command, (group) => group !== globalGroup),
  padWidth: (command, helper) => Math.min(standard.padWidth(command, helper), termColumns),
  formatItem(term, width, description, helper) {
    const columns = helper.helpWidth ?? helpColumns;
    if (columns - width < minDescriptionColumns)
      return `  ${term}\n${helper.boxWrap(description, columns - 6).replace(/^/gm, '      ')}`;
    const item = (shown: string) => Help.prototype.formatItem.call(helper, shown, width, description, helper);
    return term.length <= width ? item(term) : `  ${term}\n${item('')}`;
  },
};

/** The help of a command. Only the program's lists the global options, after its commands. */
export function formatHelp(command: Command, { helpWidth = helpColumns }: Help): string {
  const helper = Object.assign(new Help(), layout, { helpWidth });
  const help = helper.formatHelp(command, helper);
  if (command.parent !== null) return help;
  const width = helper.padWidth(command, helper);
  const items = optionsIn(command, (group) => group === globalGroup).map((option) =>
    helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper),
  );
  return `${help}\n${[globalGroup, ...items].join('\n')}\n`;
}

function optionsIn(command: Command, isWanted: (group: string) => boolean): Option[] {
  return standard
    .visibleOptions(command)
    .filter(({ helpGroupHeading = globalGroup }) => isWanted(helpGroupHeading));
}

/** The line that replaces the global options in the help of a noun or a command. It fits 80 columns. */
export function globalOptionsLine(refused: readonly string[] = []): string {
  const shown = ['--profile', '--json', '--dry-run'].filter((flag) => !refused.includes(flag));
  return `Global options such as ${shown.join(', ')}: see \`storectl --help\`.`;
}

/** `--[no-]enabled` stands for both forms of a switch. */
export function optionTerm(option: Option): string {
  return negatableOptions.has(option) ? option.flags.replace('--', '--[no-]') : option.flags;
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
