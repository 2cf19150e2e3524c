import type { CompletionKind } from '../core/option-spec.ts';

/** The commands, flags and values that Tab offers. scripts/build.mjs writes them to dist/completion.json. */
export interface CompletionModel {
  readonly program: CompletedCommand;
  /** Flags of every command. A flag that some command refuses is listed with each command that takes it. */
  readonly flags: readonly CompletedFlag[];
  /** What `storectl help` explains besides commands: summaries by name. */
  readonly topics: Readonly<Record<string, string>>;
}

/** The program, a noun or a command. */
export interface CompletedCommand {
  readonly summary: string;
  /** The next word, by name: nouns of the program, verbs of a noun. */
  readonly commands: Readonly<Record<string, CompletedCommand>>;
  readonly flags: readonly CompletedFlag[];
  readonly arguments: readonly CompletedValue[];
  /** Whether the last argument may be repeated. */
  readonly variadic: boolean;
}

export interface CompletedFlag {
  /** `--quiet`, `-q`: the long name first. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null for a switch. */
  readonly value: CompletedValue | null;
}

/** How a value is completed. Without words and kind, nothing is offered. */
export interface CompletedValue {
  readonly words?: readonly string[];
  readonly kind?: Exclude<CompletionKind, 'field'>;
  /** The value is a list with commas. */
  readonly list?: boolean;
}
