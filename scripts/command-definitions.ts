import type { CommandDefinition } from '../src/cli/command/command-definition.ts';
import { type Group, isGroup, type Leaf, tree } from '../src/cli/program/command-tree.ts';

/** A command with its definition, or a noun with its verbs. */
export interface LoadedCommand {
  /** Words that lead to it: `backup create`. */
  readonly path: string;
  readonly summary: string;
  /** Null for a noun. */
  readonly definition: CommandDefinition | null;
  readonly commands: readonly LoadedCommand[];
}

/** The commands behind a noun, at any depth, or the command itself. */
export function leavesOf(command: LoadedCommand): readonly LoadedCommand[] {
  return command.definition === null ? command.commands.flatMap(leavesOf) : [command];
}

/** The whole tree, with the definition of every command. */
export async function loadCommands(): Promise<LoadedCommand[]> {
  return Promise.all(Object.entries(tree).map(([name, entry]) => load(name, entry)));
}

async function load(path: string, entry: Group | Leaf): Promise<LoadedCommand> {
  const { summary } = entry;
  if (!isGroup(entry)) return { path, summary, definition: (await entry.load()).command, commands: [] };
  const verbs = Object.entries(entry.commands).map(([verb, leaf]) => load(`${path} ${verb}`, leaf));
  return { path, summary, definition: null, commands: await Promise.all(verbs) };
}
