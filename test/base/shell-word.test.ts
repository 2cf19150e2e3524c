import { expect, test } from 'vitest';
import { shellWord } from '../../src/base/shell-word.ts';

test.each([
  ['/srv/store.db', 'linux', '/srv/store.db'],
  ["/srv/Ada's shop/store.db", 'linux', `'/srv/Ada'\\''s shop/store.db'`],
  ['$HOME/x', 'darwin', "'$HOME/x'"],
  ['', 'linux', "''"],
  ['C:\\shop\\store.db', 'win32', 'C:\\shop\\store.db'],
  ['C:\\my db\\x.db', 'win32', '"C:\\my db\\x.db"'],
  ["C:\\Ada's\\x.db", 'win32', '"C:\\Ada\'s\\x.db"'],
  ['C:\\a&b\\x.db', 'win32', '"C:\\a&b\\x.db"'],
])('%s on %s is typed as %s', (word, platform, typed) => {
  expect(shellWord(word, platform)).toBe(typed);
});
