import { expect, test } from 'vitest';
import { shellWord } from '../../src/base/shell-word.ts';

test.each([
  ['/srv/store.db', 'linux', '/srv/store.db'],
  ["/srv/Ada's shop/store.db", 'linux', `'/srv/Ada'\\''s shop/store.db'`],
  ['$HOME/x', 'darwin', "'$HOME/x'"],
  ['', 'linux', "''"],
  ['/srv/Büro/store.db', 'linux', '/srv/Büro/store.db'],
  // Elsewhere than at the beginning they are letters like any other.
  ['~/store.db', 'linux', "'~/store.db'"],
  ['=store.db', 'linux', "'=store.db'"],
  ['a~=b@%.db', 'linux', 'a~=b@%.db'],
  ['a\\b', 'linux', "'a\\b'"],
  ['a,b', 'linux', "'a,b'"],
  ['C:\\shop\\store.db', 'win32', 'C:\\shop\\store.db'],
  ['C:\\my db\\x.db', 'win32', '"C:\\my db\\x.db"'],
  ["C:\\Ada's\\x.db", 'win32', '"C:\\Ada\'s\\x.db"'],
  ['C:\\a&b\\x.db', 'win32', '"C:\\a&b\\x.db"'],
  ['C:\\a^b (1)\\x.db', 'win32', '"C:\\a^b (1)\\x.db"'],
  ['C:\\100%\\x.db', 'win32', 'C:\\100%\\x.db'],
  ['C:\\Büro\\x.db', 'win32', 'C:\\Büro\\x.db'],
  // PowerShell makes two words of it.
  ['C:\\a,b\\x.db', 'win32', '"C:\\a,b\\x.db"'],
  // A backslash before a double quote is an escape.
  ['C:\\my db\\', 'win32', '"C:\\my db\\\\"'],
  ['a\\"b c', 'win32', '"a\\\\""b c"'],
])('%s on %s is typed as %s', (word, platform, typed) => {
  expect(shellWord(word, platform)).toBe(typed);
});
