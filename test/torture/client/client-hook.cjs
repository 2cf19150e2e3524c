/*
 * Loaded into every client before the program. It does to the process what a machine can do: ends it, stops it, moves its wall
 * clock, fills its disk, each at a numbered step (what the program does to its state folder and to its connections,
 * from 1). And it writes down what no server can see: when bytes were sent, and whether their record was on disk.
 *
 * TORTURE_PLAN: { log, state, kept, output, offsetMs, killAt, fullAt, jumpAt, jumpMs, stop, system, outputFull, defect }; steps
 * are 0 where nothing happens. `stop` is null, or `{ after, steps }`: so many steps after it has its first `lock`, or its first
 * `record` is in place, or a first byte has come in `response` to a write; reads of the state folder and all about locks count,
 * too. `system` is what the process is to others: `linux`, `no-start-times`, or `other-host`, which nobody can look at. `output`
 * is the folder of `--output-file`, `kept` is for files that the disk may yet bring back, and `defect` names a fault of this file
 * system, which the harness has to find.
 */
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const plan = JSON.parse(process.env.TORTURE_PLAN ?? '{}');
const original = { ...fs };
const log = original.openSync(plan.log, 'a');
const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
const report = (event) => {
  original.writeSync(log, `${JSON.stringify({ ms: monotonicMs(), ...event })}\n`);
};

/** What others may look at. */
const { readFileSync, readlinkSync } = fs;
fs.readFileSync = (file, ...rest) => {
  const isHidden =
    typeof file === 'string' && (file.endsWith('/boot_id') || /^\/proc\/\d+\/task\/\d+\/stat$/.test(file));
  if (!isHidden || (plan.system ?? 'linux') === 'linux') return readFileSync(file, ...rest);
  if (plan.system === 'other-host' && file.endsWith('/boot_id')) return `of process ${process.pid}`;
  throw Object.assign(new Error(`ENOENT: ${file}`), { code: 'ENOENT' });
};
fs.readlinkSync = (file, ...rest) => {
  if (plan.system !== 'no-start-times' || file !== '/proc/self/ns/pid') return readlinkSync(file, ...rest);
  throw Object.assign(new Error(`ENOENT: ${file}`), { code: 'ENOENT' });
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

/** Steps since each place that it may be stopped after. */
const since = new Map();
const reach = (place) => {
  if (!since.has(place)) since.set(place, 0);
};
/** This hook itself reads the state folder. */
let isLooking = false;

/**
 * Stops here until the harness wakes it. A process of another host may lose its locks meanwhile: what follows an assertion at once
 * is not separated from it there.
 */
function pause(followsAssertion = false) {
  if (isLooking || (followsAssertion && plan.system === 'other-host')) return;
  for (const [place, count] of since) since.set(place, count + 1);
  if (plan.stop === null || since.get(plan.stop.after) !== plan.stop.steps) return;
  report({ event: 'stop' });
  process.kill(process.pid, 'SIGSTOP');
}

function step(followsAssertion = false) {
  pause(followsAssertion);
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

/** Locks mean nothing after their holders. */
const isState = (file) =>
  typeof file === 'string' && file.startsWith(plan.state) && !file.includes(`${path.sep}locks`);
const isLock = (file) => file.includes(`${path.sep}locks`);
const note = (op, event) => report({ event: 'disk', op, ...event });

/** Open files of the state folder: what and where they are. */
const open = new Map();
/** By inode: bytes that are on disk, of files that this process has written and not synced since. */
const unsynced = new Map();
/** Files whose names are not on disk. */
const unsyncedNames = new Set();
const sizeOf = (descriptor) => original.fstatSync(descriptor).size;
const inodeOf = (file) => original.statSync(file, { throwIfNoEntry: false })?.ino ?? 0;

/** A file that is replaced or removed comes back if the power is cut before its folder is synced. */
function keep(file) {
  const inode = inodeOf(file);
  if (inode === 0) return 0;
  try {
    original.linkSync(file, path.join(plan.kept, String(inode)));
  } catch {
    // It was kept before.
  }
  return inode;
}

const outputs = new Set();

fs.openSync = (file, flags, ...rest) => {
  if (plan.outputFull && typeof file === 'string' && file.startsWith(plan.output)) {
    const descriptor = original.openSync(file, flags, ...rest);
    outputs.add(descriptor);
    return descriptor;
  }
  if (typeof file === 'string' && file.startsWith(plan.state)) pause(isLock(file));
  if (!isState(file)) return original.openSync(file, flags, ...rest);
  const creates = typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0;
  if (creates) {
    step();
    needSpace('open');
  }
  const isNew = creates && !original.existsSync(file);
  const descriptor = original.openSync(file, flags, ...rest);
  const { ino: inode } = original.fstatSync(descriptor);
  open.set(descriptor, { file, inode });
  if (isNew) {
    unsynced.set(inode, 0);
    unsyncedNames.add(file);
    note('create', { file, inode });
  }
  return descriptor;
};
fs.closeSync = (descriptor) => {
  open.delete(descriptor);
  outputs.delete(descriptor);
  return original.closeSync(descriptor);
};

/** From here on, what is behind `size` is not on disk. */
function change({ inode }, size) {
  const durable = Math.min(unsynced.get(inode) ?? size, size);
  unsynced.set(inode, durable);
  note('write', { inode, size: durable });
}

fs.writeSync = (descriptor, data, ...rest) => {
  if (outputs.has(descriptor)) failAsFull('write');
  const found = open.get(descriptor);
  if (found === undefined) return original.writeSync(descriptor, data, ...rest);
  step(true);
  needSpace('write');
  const bytes = Buffer.from(data);
  const [offset = 0, length = bytes.length - offset, position = null] = typeof data === 'string' ? [] : rest;
  change(found, position ?? sizeOf(descriptor));
  if (steps + 1 === plan.killAt) original.writeSync(descriptor, bytes, offset, length >> 1, position);
  step(true);
  return original.writeSync(descriptor, bytes, offset, length, position);
};
fs.ftruncateSync = (descriptor, size) => {
  const found = open.get(descriptor);
  if (found !== undefined) {
    step(true);
    change(found, size);
  }
  return original.ftruncateSync(descriptor, size);
};

/** The first `size` bytes are on disk; of a folder, its names. */
function noteSync({ file, inode }, isFolder, size) {
  if (plan.defect === 'sync-files' && !isFolder) return;
  if (plan.defect === 'sync-folders' && isFolder) return;
  if (isFolder) {
    for (const name of unsyncedNames) if (path.dirname(name) === file) unsyncedNames.delete(name);
    note('sync-folder', { file });
  } else {
    unsynced.set(inode, size);
    note('sync', { inode, size });
  }
}
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  fs[name] = (descriptor) => {
    const found = open.get(descriptor);
    if (found !== undefined) step();
    const result = original[name](descriptor);
    if (found !== undefined)
      noteSync(found, original.fstatSync(descriptor).isDirectory(), sizeOf(descriptor));
    return result;
  };
}
for (const name of ['fsync', 'fdatasync']) {
  fs[name] = (descriptor, callback) => {
    const found = open.get(descriptor);
    if (found === undefined) return original[name](descriptor, callback);
    step();
    // Only what was written before the call is on disk after it.
    const size = sizeOf(descriptor);
    return original[name](descriptor, (error) => {
      if (error === null) noteSync(found, false, size);
      callback(error);
    });
  };
}
fs.renameSync = (from, to) => {
  if (!isState(to)) return original.renameSync(from, to);
  step();
  const inode = keep(to);
  const result = original.renameSync(from, to);
  unsyncedNames.delete(from);
  unsyncedNames.add(to);
  for (const found of open.values()) if (found.file === from) found.file = to;
  if (to.endsWith('.jsonl')) reach('record');
  note('rename', { from, file: to, inode });
  return result;
};
fs.linkSync = (from, to) => {
  if (typeof to === 'string' && to.startsWith(plan.state)) step();
  original.linkSync(from, to);
  if (isLock(to)) reach('lock');
};
fs.unlinkSync = (file) => {
  if (typeof file === 'string' && file.startsWith(plan.state) && isLock(file)) pause(true);
  if (!isState(file)) return original.unlinkSync(file);
  step(true);
  const inode = keep(file);
  const result = original.unlinkSync(file);
  unsyncedNames.delete(file);
  note('unlink', { file, inode });
  return result;
};
fs.mkdirSync = (file, ...rest) => {
  if (!isState(file)) return original.mkdirSync(file, ...rest);
  step();
  needSpace('mkdir');
  const result = original.mkdirSync(file, ...rest);
  // The folder of the state itself is the user's.
  if (isState(path.dirname(file))) note('mkdir', { file, inode: inodeOf(file) });
  return result;
};

/** As far as it is on disk, with its name; empty for folders, and for files that another process has just removed. */
function textOnDisk(file) {
  try {
    if (unsyncedNames.has(file)) return '';
    const bytes = original.readFileSync(file);
    return bytes.subarray(0, unsynced.get(inodeOf(file)) ?? bytes.length).toString();
  } catch {
    return '';
  }
}

const recorded = (body) => {
  isLooking = true;
  try {
    return isRecorded(body);
  } finally {
    isLooking = false;
  }
};

const isRecorded = (body) => {
  const needle = JSON.stringify(body).slice(1, -1);
  const names = original.readdirSync(plan.state, { recursive: true, encoding: 'utf8' });
  return names.some(
    (name) => name.endsWith('.jsonl') && textOnDisk(path.join(plan.state, name)).includes(needle),
  );
};

const socket = net.Socket.prototype;
const { connect, _writeGeneric: writeGeneric, push } = socket;
socket.connect = function (...parameters) {
  step();
  this.once('connect', () => report({ event: 'connect', port: this.localPort }));
  return connect.apply(this, parameters);
};
const sending = new WeakMap();
/** Connections on which a write was sent. */
const writing = new WeakSet();
socket._writeGeneric = function (several, data, encoding, callback) {
  step(true);
  const parts = several ? data.map(({ chunk }) => chunk) : [data];
  const text = (sending.get(this) ?? '') + parts.map(String).join('');
  const head = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  if (head !== -1 && Buffer.byteLength(text) >= head + 4 + length) {
    const [method] = text.split(' ');
    const body = text.slice(head + 4);
    // One request at a time on a connection, so the rest is its body.
    const key = /^idempotency-key: *(.+)$/im.exec(text.slice(0, head))?.[1];
    const isRecorded = () => recorded(body) && (key === undefined || recorded(key));
    if (method !== 'GET') writing.add(this);
    report({ event: 'send', method, ...(method !== 'GET' && { recorded: isRecorded() }) });
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
    if (writing.has(this)) reach('response');
    report({ event: 'receive', port: this.localPort });
    const text = String(chunk);
    const wait = /^retry-after: *(.+)$/im.exec(text)?.[1];
    if (wait !== undefined) {
      const date = /^date: *(.+)$/im.exec(text)?.[1];
      const waitMs = date === undefined ? Number(wait) * 1000 : RealDate.parse(wait) - RealDate.parse(date);
      report({ event: 'wait', waitMs, port: this.localPort });
    }
  }
  return push.call(this, chunk, encoding);
};

process.on('exit', () => report({ event: 'exit', steps }));
