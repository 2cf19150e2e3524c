import { type Environment, isSwitchedOn } from '../core/io.ts';
import { formatJson } from '../core/json-text.ts';
import { supportsHyperlinks } from './hyperlinks.ts';
import { type Palette, withoutColors } from './palette.ts';

/** How one stream wants to be written to. */
export interface Style {
  readonly color: Palette;
  /** Columns of the terminal, or null where the stream is no terminal: then nothing is wrapped. */
  readonly width: number | null;
  /** Whether web addresses become links. */
  readonly links?: boolean;
  /** For screen readers: a line for each field, no columns. */
  readonly plain?: boolean;
}

/** Colours where the stream is a terminal; `NO_COLOR` and `FORCE_COLOR` say otherwise (no-color.org, force-color.org). */
export async function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): Promise<Style> {
  const terminal = stream.isTTY === true;
  const plain = isSwitchedOn(env.STORECTL_ACCESSIBLE);
  const wanted = env.NO_COLOR
    ? false
    : env.FORCE_COLOR !== undefined
      ? env.FORCE_COLOR !== '0'
      : terminal && env.TERM !== 'dumb' && !plain;
  return {
    // Most scripts want none, and chalk takes longer to load than the rest of the output.
    color: wanted ? (await import('./colors.ts')).colors : withoutColors,
    width: terminal ? Math.max(stream.columns ?? 80, 40) : null,
    links: supportsHyperlinks(stream, env),
    plain,
  };
}

/** JSON for people in a terminal, for programs elsewhere. `json` is valid JSON text. */
export function renderJson(json: string, style: Style): string {
  return formatJson(json, style.width === null ? 'compact' : 'pretty');
}
