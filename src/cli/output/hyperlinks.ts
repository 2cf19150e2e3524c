import { type Environment, isSwitchedOn } from '../core/io.ts';

/**
 * Whether the terminal is known to show OSC 8 links. Others print parts of them, so an unknown one gets none.
 * `FORCE_HYPERLINK` says it for a terminal that is not known (1) or wrongly known (0); a pipe never gets any.
 */
export function supportsHyperlinks(stream: { readonly isTTY?: boolean }, env: Environment): boolean {
  if (stream.isTTY !== true) return false;
  if (env.FORCE_HYPERLINK !== undefined) return isSwitchedOn(env.FORCE_HYPERLINK);
  if (env.NO_COLOR || isSwitchedOn(env.CI) || isSwitchedOn(env.STORECTL_ACCESSIBLE)) return false;
  // They stand between the program and the terminal, and older ones let no links through.
  if (env.TMUX || env.STY || env.TERM === 'dumb') return false;
  return (
    ['iTerm.app', 'WezTerm', 'vscode', 'ghostty'].includes(env.TERM_PROGRAM ?? '') ||
    ['xterm-kitty', 'xterm-ghostty', 'foot', 'alacritty'].includes(env.TERM ?? '') ||
    Boolean(env.WT_SESSION || env.KITTY_WINDOW_ID) ||
    // GNOME Terminal and its kin, which crashed on links in 0.50.0.
    Number(env.VTE_VERSION ?? 0) >= 5001
  );
}

/** Terminals take no longer ones. */
const longestUrl = 2000;

/** Web addresses in a text that is printable already, without the punctuation of the sentence around them. */
function findUrls(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s"'<>`\\]+/g) ?? [];
  return found.map((url) => url.replace(/[.,;:!?)\]}]+$/, '')).filter((url) => url.length <= longestUrl);
}

/** The text as a link to `url`, or as it is where that is no address that a terminal may be told. */
function link(text: string, url: string): string {
  const target = URL.canParse(url) ? new URL(url).href : '';
  // Nothing but visible ASCII: an escape in it would end the link and begin something else.
  return /^https?:[\x21-\x7e]+$/.test(target) ? `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\` : text;
}

/** `wrapped` is `text` with line breaks: every address in it becomes a link, all of its pieces to the whole of it. */
export function linkWrapped(text: string, wrapped: string): string {
  let done = '';
  let rest = wrapped;
  for (const url of findUrls(text)) {
    const pattern = [...url]
      .map((character) => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'))
      .join('\\n?');
    const found = new RegExp(pattern, 'u').exec(rest);
    if (found === null) continue;
    const pieces = found[0].split('\n').map((piece) => link(piece, url));
    done += rest.slice(0, found.index) + pieces.join('\n');
    rest = rest.slice(found.index + found[0].length);
  }
  return done + rest;
}

/** Links the addresses of the cells in a rendered table, where they stand in one piece. */
export function linkCells(cells: readonly string[], rendered: string): string {
  const urls = new Set(cells.flatMap(findUrls));
  return rendered.replace(/(?<=^|\s)https?:\/\/\S+(?=\s|$)/gm, (text) =>
    urls.has(text) ? link(text, text) : text,
  );
}

/** The text without links, for what cannot show them. */
export function withoutLinks(text: string): string {
  return text.replace(/\p{Cc}\]8;;[^\p{Cc}]*\p{Cc}\\/gu, '');
}
