import type { Environment } from '../core/io.ts';

/** Whether the locale says that the terminal shows other characters than ASCII not at all or as several. */
export function isAsciiLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

/** What storectl draws, by a character of the same width. */
const plainForms: Readonly<Record<string, string>> = {
  '✓': '+',
  '✔': '+',
  '❯': '>',
  '○': 'o',
  '◯': 'o',
  '◉': '*',
  '✗': 'x',
  '●': 'o',
  '◆': '#',
  '━': '=',
  '─': '-',
  '█': '#',
  '░': '.',
  '→': '>',
  '•': '*',
  '…': '~',
};

const drawn = new RegExp(`[${Object.keys(plainForms).join('')}]`, 'gu');

/** The text with the symbols that storectl draws in ASCII. */
export function inAscii(text: string): string {
  return text.replace(drawn, (symbol) => plainForms[symbol] ?? symbol);
}
