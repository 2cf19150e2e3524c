import type { Connection, Context } from '../../command/context.ts';
import { type ConnectionFlags, demoProfile, resolveSettings } from '../../config/connection-settings.ts';
import { CliError } from '../../core/errors.ts';

/** What a command of another time has to reach: the same history, store and service. */
type TargetOfCommand = Pick<Connection, 'profile' | 'storeId' | 'origin'>;

/**
 * The flags with which a command reaches `target`: only those without which the environment, the folder and the stored
 * profiles lead elsewhere.
 */
export async function flagsToReach(context: Context, target: TargetOfCommand): Promise<readonly string[]> {
  const { profile, storeId, origin } = target;
  const store = ['--store', storeId];
  if (profile === demoProfile) return ['--demo', ...(context.flags.store === undefined ? [] : store)];
  if (await reaches(context, {}, target)) return [];
  const named = ['--profile', profile];
  if (await reaches(context, { profile }, target)) return named;
  const { baseUrl } = await context.settings();
  const url = baseUrl?.value.origin === origin ? baseUrl.value.href.replace(/\/$/, '') : origin;
  return [...named, ...store, '--base-url', url];
}

async function reaches(context: Context, flags: ConnectionFlags, target: TargetOfCommand): Promise<boolean> {
  const { env, cwd } = context.io;
  try {
    const found = resolveSettings(flags, env, cwd, await context.profiles());
    return (
      found.profile === target.profile &&
      found.storeId?.value === target.storeId &&
      found.baseUrl?.value.origin === target.origin
    );
  } catch (error) {
    // For example, the environment names a profile that does not exist.
    if (error instanceof CliError) return false;
    throw error;
  }
}
