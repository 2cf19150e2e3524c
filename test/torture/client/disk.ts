import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** What a client did to its state folder, as its hook saw it. Inodes are numbers, files are absolute. */
export type DiskEvent =
  | { readonly op: 'create' | 'mkdir'; readonly file: string; readonly inode: number }
  /** What lies behind `size` bytes is not on disk from here on. */
  | { readonly op: 'write'; readonly inode: number; readonly size: number }
  | { readonly op: 'sync'; readonly inode: number; readonly size: number }
  | { readonly op: 'sync-folder'; readonly file: string }
  /** `inode` belongs to the file that it replaced, which is kept under this number, or 0. */
  | { readonly op: 'rename'; readonly from: string; readonly file: string; readonly inode: number }
  | { readonly op: 'unlink'; readonly file: string; readonly inode: number };

/** What a power cut leaves of what was not synced. */
export interface PowerCut {
  /** Of bytes: none, the first half, or NULs in their place. */
  readonly bytes: 'dropped' | 'half' | 'zeroed';
  /** Which part of the changes of names the disk has made, in their order: [0, 1]. */
  readonly names: number;
}

/** The disk of one machine: what is on it for certain. */
export interface Disk {
  /** In the order in which they happened. */
  note(event: DiskEvent): void;
  /** Takes away what was not synced. No client may be running. */
  cutPower(cut: PowerCut): void;
}

type NameChange = Exclude<DiskEvent, { op: 'write' | 'sync' | 'sync-folder' }>;

/** `kept` is the folder where the hook keeps files that were replaced or removed, by their inodes. */
export function createDisk(state: string, kept: string): Disk {
  /** Bytes that are on disk, of files with others behind them. */
  const sizes = new Map<number, number>();
  let changes: NameChange[] = [];

  function note(event: DiskEvent): void {
    switch (event.op) {
      case 'write':
        sizes.set(event.inode, Math.min(sizes.get(event.inode) ?? event.size, event.size));
        return;
      case 'sync':
        sizes.set(event.inode, event.size);
        return;
      case 'sync-folder':
        changes = changes.filter(({ file }) => path.dirname(file) !== event.file);
        return;
      default:
        if (event.op === 'create') sizes.set(event.inode, 0);
        changes.push(event);
    }
  }

  function cutPower({ bytes, names }: PowerCut): void {
    for (const change of changes.slice(Math.floor(names * changes.length)).reverse()) undo(change);
    for (const file of filesIn(state)) {
      const { ino, size } = statSync(file);
      const durable = sizes.get(ino) ?? size;
      if (durable >= size) continue;
      if (bytes === 'zeroed') zero(file, durable, size - durable);
      else truncateSync(file, bytes === 'dropped' ? durable : durable + ((size - durable) >> 1));
    }
    sizes.clear();
    changes = [];
  }

  function undo(change: NameChange): void {
    const { op, file, inode } = change;
    try {
      if (op === 'create' || op === 'mkdir') rmSync(file, { recursive: true });
      else if (op === 'rename') renameSync(file, change.from);
      if ((op === 'rename' || op === 'unlink') && inode > 0) linkSync(path.join(kept, String(inode)), file);
    } catch {
      // The folder that it was in is gone, too.
    }
  }

  return { note, cutPower };
}

function zero(file: string, from: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(length), 0, length, from);
  closeSync(descriptor);
}

/** Of all folders, without those of locks: who held one is dead after a power cut. */
export function filesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .filter((name) => !name.split(path.sep).includes('locks'))
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}
