#!/usr/bin/env node
// Every Node can parse this file, so that one that is too old prints a sentence instead of a stack.
const version = process.versions.node.split('.').map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write(`error: storectl needs Node.js 20.19 or later, and this is ${process.version}\n`);
  process.exitCode = 11;
} else {
  require('./compiled.js').run(`${__dirname}/../dist`);
}
