/*
 * Loaded before a program whose memory is measured: writes its peak memory in KiB to descriptor 3.
 * Linux counts it for each program (VmHWM); maxRSS starts with the memory of the parent process.
 */
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  let kibibytes = process.resourceUsage().maxRSS;
  try {
    kibibytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1];
  } catch {
    // Not Linux.
  }
  writeSync(3, String(kibibytes));
});
