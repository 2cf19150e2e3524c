import type { Context } from '../../cli/command/context.ts';
import { usageError } from '../../cli/core/errors.ts';
import { isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';

export const allProfiles = '--all-profiles';

/** The profiles that the command names, or null for the one in use. */
export async function profilesOf(context: Context, parsed: ParsedCommand): Promise<readonly string[] | null> {
  const given = parsed.options.get('--profile');
  const named = typeof given === 'object' ? [...new Set(given)] : [];
  if (!isOn(parsed, allProfiles)) return named.length > 1 ? named : null;
  if (named.length > 0 || isOn(parsed, '--demo'))
    throw usageError(`${allProfiles} cannot be used with --profile or --demo`, 'remove one of them');
  const stored = (await context.profiles()).names();
  if (stored.length > 0) return stored;
  throw usageError('no profiles yet', 'run `storectl auth login` to create one');
}
