/*
 * Loaded before the program. Numbers what the program does to the outside world (files, sockets), from 1, and ends the
 * program with SIGKILL when step KILL_AT is about to happen. A write has three steps: before it, after half of it, and
 * after all of it. Without KILL_AT it writes the names of all steps to STEPS_FILE at the end.
 */
const fs = require('node:fs');
const net = require('node:net');
const { constants } = fs;

const killAt = Number(process.env.KILL_AT ?? '0');
const names = [];
const { writeFileSync } = fs;

/** Whether the next step is the one to die at. */
function step(name) {
  names.push(name);
  return names.length === killAt;
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

for (const name of ['fsyncSync', 'linkSync', 'mkdirSync', 'renameSync', 'unlinkSync', 'openSync']) {
  const original = fs[name];
  fs[name] = (...parameters) => {
    const reads = name === 'openSync' && (Number(parameters[1] ?? 0) & constants.O_CREAT) === 0;
    if (!reads && step(name)) die();
    return original.apply(fs, parameters);
  };
}

const { writeSync } = fs;
fs.writeSync = (descriptor, bytes, offset = 0, length = bytes.length - offset, position = null) => {
  if (step('writeSync')) die();
  if (step('writeSync, half')) {
    writeSync.call(fs, descriptor, bytes, offset, length >> 1, position);
    die();
  }
  return writeSync.call(fs, descriptor, bytes, offset, length, position);
};

const socket = net.Socket.prototype;
const { connect, _writeGeneric: write, push } = socket;
socket.connect = function (...parameters) {
  if (step('connect')) die();
  return connect.apply(this, parameters);
};
socket._writeGeneric = function (several, data, encoding, callback) {
  if (step('send')) die();
  if (step('send, half')) {
    if (several && data.length > 1) write.call(this, true, [data[0]], encoding, callback);
    else {
      const chunk = Buffer.from(several ? data[0].chunk : data, several ? data[0].encoding : encoding);
      write.call(this, false, chunk.subarray(0, chunk.length >> 1), 'buffer', callback);
    }
    die();
  }
  const result = write.call(this, several, data, encoding, callback);
  if (step('sent')) die();
  return result;
};
socket.push = function (chunk, encoding) {
  if (step('receive')) die();
  return push.call(this, chunk, encoding);
};

process.on('exit', () => {
  if (step('exit')) die();
  if (killAt === 0) writeFileSync(process.env.STEPS_FILE, JSON.stringify(names));
});
