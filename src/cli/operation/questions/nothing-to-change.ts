import { terminalNeeded } from '../../command/input-needed.ts';
import type { InputCommand, PreparedInput } from '../call/operation-command.ts';
import type { MoreChanges } from './choose-changes.ts';

interface WhatChanges {
  /** A flag for the error. */
  readonly example: string;
  /** Whether an empty answer clears the field. */
  canClear?(path: readonly string[]): boolean;
  /** The current values. */
  read(input: PreparedInput): Promise<Record<string, unknown>>;
  /** What is no single field. */
  more?(
    input: PreparedInput,
    body: Record<string, unknown>,
    current: Readonly<Record<string, unknown>>,
  ): Promise<MoreChanges>;
}

/** For an update without fields: a terminal lets the user choose some, elsewhere it is exit 3. */
export function askWhatChanges({
  example,
  canClear = () => false,
  read,
  more,
}: WhatChanges): NonNullable<InputCommand['prepare']> {
  return async (body, input) => {
    if (Object.keys(body).length > 0) return null;
    if (!input.ui.canAsk) {
      throw terminalNeeded('nothing to change', `pass at least one field, for example ${example}`);
    }
    const { questionsOfChanges } = await import('./choose-changes.ts');
    const current = await read(input);
    return questionsOfChanges(input, body, { current, canClear, more: await more?.(input, body, current) });
  };
}
