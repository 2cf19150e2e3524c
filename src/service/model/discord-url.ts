/**
 * Tested on the text itself, not on what a URL parser makes of it: parsers drop tabs, turn backslashes and full-width
 * letters around, and read numbers as addresses. Nothing of that kind passes here.
 */
const discordUrl =
  /^https:\/\/(?:(?:canary\.|ptb\.)?discord\.com|discordapp\.com)(?::443)?\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/[\w-]{1,200}$/;

/** The URL when it is that of a Discord webhook and of nothing else. */
export function parseDiscordUrl(value: string): URL | null {
  return discordUrl.test(value) ? new URL(value) : null;
}

/** Without the last part of the path: who has that can post with it. */
export function maskDiscordUrl(url: URL): string {
  return url.href.replace(/[^/]+$/, '***');
}
