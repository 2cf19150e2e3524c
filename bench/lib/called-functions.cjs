/*
 * Loaded before a program: writes the functions that have run to descriptor 3, as one line of JSON with `[file, offset, thread]` of each,
 * on SIGUSR2 those since the last time, and at the end all of them. Each thread writes its own line.
 */
const { writeSync } = require('node:fs');
const { Session } = require('node:inspector');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

function report() {
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    const called = coverage.result.flatMap(({ url, functions }) =>
      functions.flatMap(({ ranges: [{ startOffset, count }] }) =>
        count > 0 ? [[url, startOffset, isMainThread ? 'main' : 'worker']] : [],
      ),
    );
    writeSync(3, `${JSON.stringify(called)}\n`);
  });
}

const others = new BroadcastChannel('called functions');
others.unref();
// Only the main thread gets signals.
if (isMainThread) {
  process.on('SIGUSR2', () => {
    others.postMessage('report');
    report();
  });
  process.on('exit', report);
} else {
  others.onmessage = report;
}
