#!/usr/bin/env node
const { enableCompileCache } = require('node:module');

// Compiled code is kept in the user's cache folder (Node 22.8 and later): later starts skip most of the compiling.
try {
  if (enableCompileCache) {
    const { homedir } = require('node:os');
    const { join } = require('node:path');
    enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'storectl'));
  }
} catch {
  // Without a cache the program only starts more slowly.
}

try {
  require('../dist/chunks/storectl.js')
    .start()
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'error: storectl is not built here\n  run `npm ci` in its folder, development packages included\n',
  );
  process.exitCode = 11;
}
