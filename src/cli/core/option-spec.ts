/** What Tab offers for a value: fixed words, or something that is looked up, such as ids in this machine's history. */
export type Completion = readonly string[] | CompletionKind;

export type CompletionKind =
  | 'file'
  | 'field'
  | 'profile'
  | 'record'
  | 'open-record'
  | 'backup'
  | 'dispute'
  | 'reclaim';

/** A positional argument. The parser requires none: commands report what is missing themselves. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly variadic?: boolean;
  /** Shown in brackets in the usage line. */
  readonly optional?: boolean;
  readonly complete?: Completion;
}

/** Heading of the options that name no other. */
export const defaultGroup = 'Options:';

export interface OptionSpec {
  /** `--label`. */
  readonly flag: string;
  /** `-q`. */
  readonly short?: string;
  /** Placeholder of the value in the help, `TEXT`. Without it, the option is a switch. */
  readonly value?: string;
  /** A switch that `--no-…` turns off. */
  readonly negatable?: boolean;
  readonly description: string;
  /** Heading in the help. Default: {@link defaultGroup}. */
  readonly group?: string;
  readonly complete?: Completion | undefined;
  /** The value is a list with commas: its last part is completed. */
  readonly list?: boolean;
}
