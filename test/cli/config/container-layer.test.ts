import { expect, test } from 'vitest';
import { isInLayer } from '../../../src/cli/config/container-layer.ts';

/** Lines as Docker's overlay driver, a volume, and a file system of the host give them. */
const root = '1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/u';
const proc = '2 1 0:53 / /proc rw,nosuid - proc proc rw';
const volume = '3 1 8:1 /var/lib/docker/volumes/storectl/_data /state rw,relatime - ext4 /dev/sda1 rw';
const spaced = '4 1 8:1 / /my\\040state rw - ext4 /dev/sda1 rw';
const memory = '5 1 0:60 / /state rw,nosuid - tmpfs tmpfs rw,mode=700';
const shared = '6 1 0:61 / /dev/shm rw,nosuid - tmpfs shm rw,size=65536k';
const disk = '1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw';

test.each<[string, string[], string, boolean]>([
  ['without a volume', [root, proc], '/state', true],
  ['with one', [root, proc, volume], '/state', false],
  ['with one above it', [root, volume], '/state/storectl/history', false],
  ['with one for another folder', [root, volume], '/stateless', true],
  ['with one whose name has a blank', [root, spaced], '/my state/x', false],
  ['in a container on a plain disk', [disk, proc], '/state', false],
  ['with a file system in memory', [root, memory], '/state', true],
  ['with one in memory for another folder', [root, volume, shared], '/state', false],
  ['with a volume that is mounted over it', [root, memory, volume], '/state', false],
  ['where nothing is known', [], '/state', false],
])('%s', (_, lines, directory, isLost) => {
  expect(isInLayer(lines.join('\n'), directory)).toBe(isLost);
});
