/*
 * Loaded before a server: counts the requests that it answers and the time from the first of them to the last answer.
 * On SIGUSR2 it writes both to descriptor 3 and starts again.
 */
const { subscribe } = require('node:diagnostics_channel');
const { writeSync } = require('node:fs');

let requests = 0;
let first = 0;
let last = 0;
subscribe('http.server.request.start', () => {
  if (first === 0) first = performance.now();
});
subscribe('http.server.response.finish', () => {
  requests += 1;
  last = performance.now();
});
process.on('SIGUSR2', () => {
  writeSync(3, `${JSON.stringify({ requests, seconds: (last - first) / 1000 })}\n`);
  [requests, first, last] = [0, 0, 0];
});
