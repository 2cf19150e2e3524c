import { argumentValue, type CommandDefinition } from '../../cli/command.ts';
import { usageError } from '../../cli/errors.ts';
import { requireName } from '../../cli/profile-names.ts';
import { checkBaseUrl, demoProfile } from '../../cli/settings.ts';
import { pathParameterProblem } from '../../contract/operation.ts';

export const command: CommandDefinition = {
  description: `Set the address or the store of a profile, making the profile if there is none. A stored key stays bound
to the address that it was stored for: after a move to another one, log in again.`,
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: [
    'profile set main --store 4be5…',
    'profile set staging --base-url https://staging.example.com --store 4be5…',
  ],
  async run(context, parsed) {
    const name = requireName(argumentValue(parsed, 'name'));
    if (name === demoProfile)
      throw usageError('"demo" is the example store and has no settings', 'choose another name');
    const { baseUrl, store } = context.flags;
    if (baseUrl === undefined && store === undefined) {
      throw usageError('there is nothing to set', 'give --base-url URL or --store ID');
    }
    const url = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl, 'flag');
    const problem = store === undefined ? null : pathParameterProblem(store);
    if (problem !== null) throw usageError(`--store ${problem}`, 'give the id as the service shows it');
    const profiles = await context.profiles();
    const before = profiles.get(name);
    await profiles.set(name, (stored) => ({
      ...stored,
      ...(url && { baseUrl: url.href.replace(/\/$/, '') }),
      ...(store !== undefined && { storeId: store }),
    }));
    context.notice(`${before === null ? 'Made' : 'Changed'} profile ${name}.`);
    if (url && before?.keyOrigin && before.keyOrigin !== url.origin) {
      context.notice(
        `Its key is for ${before.keyOrigin} and is not used at ${url.origin}: run \`storectl auth login\`.`,
      );
    }
    return undefined;
  },
};
