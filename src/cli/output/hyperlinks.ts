import { type Environment, isSwitchedOn } from '../core/io.ts';

/**
 * Whether the terminal is known to support OSC 8 links: others print parts of the sequence. `FORCE_HYPERLINK` overrides
 * the list with 1 or 0. A pipe never gets links.
 */
export function supportsHyperlinks(stream: { readonly isTTY?: boolean }, env: Environment): boolean {
  if (stream.isTTY !== true) return false;
  if (env.FORCE_HYPERLINK !== undefined) return isSwitchedOn(env.FORCE_HYPERLINK);
  if (env.NO_COLOR || isSwitchedOn(env.CI) || isSwitchedOn(env.STORECTL_ACCESSIBLE)) return false;
  // Older versions of tmux and screen swallow links.
  if (env.TMUX || env.STY || env.TERM === 'dumb') return false;
  return (
    ['iTerm.app', 'WezTerm', 'vscode', 'ghostty'].includes(env.TERM_PROGRAM ?? '') ||
    ['xterm-kitty', 'xterm-ghostty', 'foot', 'alacritty'].includes(env.TERM ?? '') ||
    Boolean(env.WT_SESSION || env.KITTY_WINDOW_ID) ||
    // VTE terminals such as GNOME Terminal; version 0.50.0 crashed on links.
    Number(env.VTE_VERSION ?? 0) >= 5001
  );
}

/** Maximum length of a link that terminals support. */
const maxUrlLength = 2000;

/** Web addresses in a text that is printable already, without the punctuation of the sentence around them. */
function findUrls(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s"'<>`\\]+/g) ?? [];
  return found.map((url) => url.replace(/[.,;:!?)\]}]+$/, '')).filter((url) => url.length <= maxUrlLength);
}

/** The text as a link to `url`, or unchanged if that is not a safe web address. */
function link(text: string, url: string): string {
  const target = URL.canParse(url) ? new URL(url).href : '';
  // Visible ASCII only: an escape character would end the link and start another sequence.
  return /^https?:[\x21-\x7e]+$/.test(target) ? `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\` : text;
}

/** Links the addresses in `wrapped`, which is `text` with line breaks. Each piece links to the whole address. */
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

/** Links the addresses of the cells in a rendered table, if they are not wrapped. */
export function linkCells(cells: readonly string[], rendered: string): string {
  const urls = new Set(cells.flatMap(findUrls));
  return rendered.replace(/(?<=^|\s)https?:\/\/\S+(?=\s|$)/gm, (text) =>
    urls.has(text) ? link(text, text) : text,
  );
}

/** Removes links, for output that cannot show them. */
export function withoutLinks(text: string): string {
  return text.replace(/\p{Cc}\]8;;[^\p{Cc}]*\p{Cc}\\/gu, '');
}
