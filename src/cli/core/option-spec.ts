import type { ObjectKind } from '../../contract/objects.ts';
import type { Operation } from '../../contract/operation.ts';

/** What Tab offers for a value: fixed words, or something that is looked up, such as ids in this machine's history. */
export type Completion = readonly string[] | CompletionKind;

export type CompletionKind = 'file' | 'field' | 'profile' | 'record' | 'open-record' | ObjectKind;

/** A positional argument. The parser requires none: commands report what is missing themselves. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly variadic?: boolean;
  /** Shown in brackets in the usage line. */
  readonly optional?: boolean;
  readonly complete?: Completion | undefined;
}

/** Heading of the options that name no other. */
export const defaultGroup = 'Options:';

/** Heading of the options that few need, which stands last. */
export const advancedGroup = 'Advanced:';

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
  /** JSON schema of the value as an input of a tool. An assistant has only the options with one. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The value is a list with commas: its last part is completed. */
  readonly list?: boolean;
}

/** A command as a tool of `storectl mcp`. Its texts name inputs, not flags, and no terminal. */
export interface CommandTool {
  readonly description: string;
  /** The operation that it sends; `recorded` if the record whose id it gets says which. Without it, it reads the history. */
  readonly sends?: Operation | 'recorded';
  /** The arguments of the command that are inputs, in order, with what they are. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Options that every call has. */
  readonly argv?: readonly string[];
  /** Required fields that the command fills in if they are missing. */
  readonly optional?: readonly string[];
  /** The input whose value a person has to repeat before it is sent. */
  readonly confirm?: string | undefined;
}

/** What a command takes and prints. */
export interface CommandInterface {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Dotted names of the known fields of the answer, for `--fields`. */
  responseFields?(): readonly string[];
  /** Makes the command a tool of `storectl mcp`. */
  readonly tool?: CommandTool;
}

/** Maximum of `--timeout`, in seconds. */
export const maxTimeoutSeconds = 86_400;
