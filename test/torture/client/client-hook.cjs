/*
 * Loaded into every client before the program. It does to the process what a machine can do: ends it, moves its wall
 * clock, fills its disk, each at a numbered step (what the program does to its state folder and to its connections,
 * from 1). And it writes down what no server can see: when bytes were sent, and whether their record was on disk.
 *
 * TORTURE_PLAN: { log, state, output, offsetMs, killAt, fullAt, jumpAt, jumpMs, outputFull }; steps are 0 where nothing
 * happens. `output` is the folder of `--output-file`.
 */
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const plan = JSON.parse(process.env.TORTURE_PLAN ?? '{}');
const original = { ...fs };
const log = original.openSync(plan.log, 'a');
const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
const tell = (event) => {
  original.writeSync(log, `${JSON.stringify({ ms: monotonicMs(), ...event })}\n`);
};

let steps = 0;
let clockOffset = plan.offsetMs;

const RealDate = Date;
globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + clockOffset);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + clockOffset;
  }
};

function die() {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function step() {
  steps += 1;
  if (steps === plan.jumpAt) clockOffset += plan.jumpMs;
  if (steps === plan.killAt) die();
}

/** Fails as a full disk does. */
function needSpace(call) {
  if (plan.fullAt !== 0 && steps >= plan.fullAt) failAsFull(call);
}

function failAsFull(call) {
  const error = new Error(`ENOSPC: no space left on device, ${call}`);
  throw Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: call });
}

const isState = (file) => typeof file === 'string' && file.startsWith(plan.state);

/** Open files of the state folder, with what was written to them and not synced. */
const open = new Map();
let synced = '';
const unsyncedFolders = new Set();
/** Locks and drafts are no records. */
const addsName = (file) => {
  if (!file.includes(`${path.sep}locks${path.sep}`) && !file.endsWith('.tmp')) {
    unsyncedFolders.add(path.dirname(file));
  }
};

const outputs = new Set();

fs.openSync = (file, flags, ...rest) => {
  if (plan.outputFull && typeof file === 'string' && file.startsWith(plan.output)) {
    const descriptor = original.openSync(file, flags, ...rest);
    outputs.add(descriptor);
    return descriptor;
  }
  if (!isState(file)) return original.openSync(file, flags, ...rest);
  const creates = typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0;
  if (creates) {
    step();
    needSpace('open');
    if (!original.existsSync(file)) addsName(file);
  }
  const descriptor = original.openSync(file, flags, ...rest);
  open.set(descriptor, { file, pending: '' });
  return descriptor;
};
fs.closeSync = (descriptor) => {
  open.delete(descriptor);
  outputs.delete(descriptor);
  return original.closeSync(descriptor);
};
fs.writeSync = (descriptor, data, ...rest) => {
  if (outputs.has(descriptor)) failAsFull('write');
  const found = open.get(descriptor);
  if (found === undefined) return original.writeSync(descriptor, data, ...rest);
  step();
  needSpace('write');
  const bytes = Buffer.from(data);
  const [offset = 0, length = bytes.length - offset, position = null] = typeof data === 'string' ? [] : rest;
  if (steps + 1 === plan.killAt) original.writeSync(descriptor, bytes, offset, length >> 1, position);
  step();
  const written = original.writeSync(descriptor, bytes, offset, length, position);
  found.pending += bytes.toString('utf8', offset, offset + written);
  return written;
};

function noteSync(descriptor) {
  const found = open.get(descriptor);
  if (found === undefined) return;
  synced += found.pending;
  found.pending = '';
  unsyncedFolders.delete(found.file);
}
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  fs[name] = (descriptor) => {
    if (open.has(descriptor)) step();
    const result = original[name](descriptor);
    noteSync(descriptor);
    return result;
  };
}
for (const name of ['fsync', 'fdatasync']) {
  fs[name] = (descriptor, callback) => {
    const found = open.get(descriptor);
    // Only what was written before the call is on disk after it.
    const { pending = '' } = found ?? {};
    if (found !== undefined) step();
    original[name](descriptor, (error) => {
      if (error === null && found !== undefined) {
        synced += pending;
        found.pending = found.pending.slice(pending.length);
        unsyncedFolders.delete(found.file);
      }
      callback(error);
    });
  };
}
for (const name of ['linkSync', 'renameSync']) {
  fs[name] = (from, to) => {
    if (isState(to)) step();
    const result = original[name](from, to);
    if (isState(to)) addsName(to);
    return result;
  };
}
for (const name of ['mkdirSync', 'unlinkSync']) {
  fs[name] = (file, ...rest) => {
    if (isState(file)) {
      step();
      if (name === 'mkdirSync') needSpace('mkdir');
    }
    return original[name](file, ...rest);
  };
}

/** Empty for folders, and for files that another process has just removed. */
function textOf(file) {
  try {
    return original.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const recorded = (body) => {
  const needle = JSON.stringify(body).slice(1, -1);
  if (synced.includes(needle)) return unsyncedFolders.size === 0;
  // Written by an earlier process, or synced in a part.
  const files = original.readdirSync(plan.state, { recursive: true, encoding: 'utf8' });
  return files.some((name) => {
    const file = path.join(plan.state, name);
    const isPending = [...open.values()].some((other) => other.file === file && other.pending !== '');
    return !isPending && textOf(file).includes(needle);
  });
};

const socket = net.Socket.prototype;
const { connect, _writeGeneric: writeGeneric, push } = socket;
socket.connect = function (...parameters) {
  step();
  this.once('connect', () => tell({ event: 'connect', port: this.localPort }));
  return connect.apply(this, parameters);
};
const sending = new WeakMap();
socket._writeGeneric = function (several, data, encoding, callback) {
  step();
  const parts = several ? data.map(({ chunk }) => chunk) : [data];
  const text = (sending.get(this) ?? '') + parts.map(String).join('');
  const head = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  if (head !== -1 && Buffer.byteLength(text) >= head + 4 + length) {
    const [method] = text.split(' ');
    const body = text.slice(head + 4);
    // One request at a time on a connection, so the rest is its body.
    tell({ event: 'send', method, ...(method !== 'GET' && { recorded: recorded(body) }) });
    sending.set(this, '');
  } else {
    sending.set(this, text);
  }
  const result = writeGeneric.call(this, several, data, encoding, callback);
  step();
  return result;
};
socket.push = function (chunk, encoding) {
  step();
  if (chunk !== null) {
    tell({ event: 'receive', port: this.localPort });
    const text = String(chunk);
    const wait = /^retry-after: *(.+)$/im.exec(text)?.[1];
    if (wait !== undefined) {
      const date = /^date: *(.+)$/im.exec(text)?.[1];
      const waitMs = date === undefined ? Number(wait) * 1000 : RealDate.parse(wait) - RealDate.parse(date);
      tell({ event: 'wait', waitMs });
    }
  }
  return push.call(this, chunk, encoding);
};

process.on('exit', () => tell({ event: 'exit', steps }));
