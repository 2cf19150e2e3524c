import type { StoreIdentity } from '../../../history/journal/journal.ts';
import type { Connection } from '../../command/connection.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import {
  type ConnectionFlags,
  demoProfile,
  identityOf,
  resolveSettings,
} from '../../config/connection-settings.ts';
import { CliError } from '../../core/errors.ts';

/** What a command of another time has to reach. */
type TargetOfCommand = Pick<Connection, 'profile'> & StoreIdentity;

/**
 * The flags with which a command reaches `target`: only those without which the environment, the folder and the stored
 * profiles lead elsewhere.
 */
export async function flagsToReach(
  ui: Ui,
  session: Session,
  target: TargetOfCommand,
): Promise<readonly string[]> {
  const { profile, storeId, baseUrl } = target;
  const store = ['--store', storeId];
  if (profile === demoProfile) return ['--demo', ...(session.flags.store === undefined ? [] : store)];
  if (await reaches(ui, session, {}, target)) return [];
  const named = ['--profile', profile];
  if (await reaches(ui, session, { profile }, target)) return named;
  return [...named, ...store, '--base-url', baseUrl];
}

async function reaches(
  ui: Ui,
  session: Session,
  flags: ConnectionFlags,
  target: TargetOfCommand,
): Promise<boolean> {
  const { env, cwd } = ui.io;
  try {
    const found = resolveSettings(flags, env, cwd, await session.profiles());
    const store = identityOf(found, '');
    const isIt = store?.storeId === target.storeId && store.baseUrl === target.baseUrl;
    return isIt && found.profile === target.profile;
  } catch (error) {
    // For example, the environment names a profile that does not exist.
    if (error instanceof CliError) return false;
    throw error;
  }
}
