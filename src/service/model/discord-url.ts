/**
 * Matches the text, not a parsed URL: parsers drop tabs, replace backslashes and full-width letters, and read numbers as
 * addresses, so that a hostile text could look harmless.
 */
export const discordUrl =
  /^https:\/\/(?:(?:canary\.|ptb\.)?discord\.com|discordapp\.com)(?::443)?\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/[\w-]{1,200}$/;

/** The URL of a Discord webhook, or null if it is anything else. */
export function parseDiscordUrl(value: string): URL | null {
  return discordUrl.test(value) ? new URL(value) : null;
}

/** Hides the last part of the path, the token: it is all one needs to post. */
export function maskDiscordUrl(url: URL): string {
  return url.href.replace(/[^/]+$/, '***');
}
