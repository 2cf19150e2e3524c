import { accessSync, constants } from 'node:fs';
import { describeSystemError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { Io } from '../../cli/core/io.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The oldest Node that storectl supports, as in `engines` of package.json. */
const oldestNode = [20, 19] as const;

export function checkNode({ process }: Io): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', node);
  return problem(
    'node',
    `Node ${node} is not supported`,
    `install Node ${oldestNode.join('.')} or later`,
    exitCodes.localState,
  );
}

/** The file of NODE_EXTRA_CA_CERTS. If it cannot be read, Node only warns and ignores it. */
export function checkAuthorities({ env }: Io): Finding[] {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  try {
    accessSync(file, constants.R_OK);
    return [ok('authorities', `built-in CAs of Node and ${file} (from NODE_EXTRA_CA_CERTS)`)];
  } catch (error) {
    const message = `cannot read ${file} (from NODE_EXTRA_CA_CERTS): ${describeSystemError(error)}`;
    return [warning('authorities', message, 'fix the path, or unset it')];
  }
}
