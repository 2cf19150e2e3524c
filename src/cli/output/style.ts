import { type Environment, isSwitchedOn, usableColumns, usesColors } from '../core/io.ts';
import { formatJson } from '../core/json-text.ts';
import type { Printable } from '../core/sanitize.ts';

const colorNames = ['bold', 'dim', 'red', 'green', 'yellow'] as const;

/** How a text can be marked: with the sixteen colors that every terminal has, in the shades its user chose. */
export type Mark = (typeof colorNames)[number];

/** Functions that mark a text, or leave it unchanged. What was printable stays so. */
export type Palette = Readonly<Record<Mark, <Text extends string>(text: Text) => Text>>;

export const withoutColors = Object.fromEntries(
  colorNames.map((name) => [name, (text: string) => text]),
) as unknown as Palette;

/** How to format text for one stream. */
export interface Style {
  readonly color: Palette;
  /** Columns of the terminal, or null if the stream is not a terminal: then nothing is wrapped. */
  readonly width: number | null;
  /** For screen readers: a line for each field, no columns. */
  readonly plain?: boolean;
}

/** How to format text for a stream. */
export async function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): Promise<Style> {
  return {
    // Loaded on demand: chalk takes longer to load than the rest of the output.
    color: usesColors(stream, env)
      ? (new (await import('chalk')).Chalk({ level: 1 }) as Palette)
      : withoutColors,
    width: stream.isTTY === true ? usableColumns(stream.columns) : null,
    plain: isSwitchedOn(env.STORECTL_ACCESSIBLE),
  };
}

/** Indented JSON in a terminal, compact JSON elsewhere. `json` must be valid JSON text. */
export function renderJson(json: string, style: Style): Printable {
  return formatJson(json, style.width === null ? 'compact' : 'pretty');
}
