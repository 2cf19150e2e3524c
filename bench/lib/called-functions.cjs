/*
 * Loaded before a program: writes the functions that have run to descriptor 3, as one line of JSON with `[file, offset]` of each,
 * on SIGUSR2 those since the last time, and at the end all of them.
 */
const { writeSync } = require('node:fs');
const { Session } = require('node:inspector');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

function report() {
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    const called = coverage.result.flatMap(({ url, functions }) =>
      functions.flatMap(({ ranges: [{ startOffset, count }] }) => (count > 0 ? [[url, startOffset]] : [])),
    );
    writeSync(3, `${JSON.stringify(called)}\n`);
  });
}

process.on('SIGUSR2', report);
process.on('exit', report);
