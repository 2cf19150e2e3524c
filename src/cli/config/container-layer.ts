import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../core/io.ts';

/** File systems in which a container keeps what it writes itself, and which end with it. */
const layerTypes = ['overlay', 'fuse.fuse-overlayfs', 'aufs'];
/** In a container these end with it too, wherever they are mounted. */
const memoryTypes = ['tmpfs', 'ramfs'];

/**
 * Whether a directory is in the layer of the container that this process runs in, or in memory, so that it is lost with the
 * container: no volume is mounted there or above. False outside of containers, and where it is unknown.
 */
export function isLostWithContainer(directory: string, env: Environment): boolean {
  const isContainer =
    existsSync('/.dockerenv') ||
    existsSync('/run/.containerenv') ||
    Boolean(env.container || env.KUBERNETES_SERVICE_HOST);
  if (!isContainer) return false;
  try {
    return isInLayer(readFileSync('/proc/self/mountinfo', 'utf8'), directory);
  } catch {
    return false;
  }
}

/** `mountInfo` is /proc/self/mountinfo; see proc(5). */
export function isInLayer(mountInfo: string, directory: string): boolean {
  const mounts = mountInfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const point = before
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
    const type = after.split(' ')[0] ?? '';
    return point === undefined ? [] : [{ point, type }];
  });
  const isAbove = (point: string) => !path.posix.relative(point, directory).startsWith('..');
  const above = mounts.filter(({ point }) => isAbove(point));
  // A later mount covers an earlier one.
  const nearest = above.toSorted((a, b) => a.point.length - b.point.length).at(-1);
  if (nearest === undefined) return false;
  return memoryTypes.includes(nearest.type) || (nearest.point === '/' && layerTypes.includes(nearest.type));
}
