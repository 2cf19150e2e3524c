import { type CommandDefinition, isOn } from '../../cli/command.ts';
import { CliError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { renderRecord } from '../../cli/output.ts';
import { printJson } from '../../cli/print-json.ts';
import { printable } from '../../cli/sanitize.ts';
import { demoProfile, describeSource, type Sourced } from '../../cli/settings.ts';
import { showSettings } from '../../contract/settings.ts';

export const command: CommandDefinition = {
  description: `Show which profile, address, store and key a command would use, and where each comes from.
The key is tried with a read that changes nothing, unless --offline is given; it is never shown.`,
  options: [{ flag: '--offline', description: 'Do not try the key', group: 'Options:' }],
  examples: ['auth status', 'auth status --offline', 'auth status --profile outlet --json'],
  async run(context, parsed) {
    const settings = await context.settings();
    const { profile, storeId, baseUrl, apiKey } = settings;
    const demo = profile === demoProfile;
    const offline = isOn(parsed, '--offline');
    const access = offline ? 'not tried' : await tryKey();
    const status = {
      profile,
      baseUrl: demo ? 'the demo service in this process' : (baseUrl?.value.href.replace(/\/$/, '') ?? null),
      baseUrlSource: baseUrl?.source ?? null,
      storeId: storeId?.value ?? (demo ? (await context.demo()).example.storeId : null),
      storeIdSource: storeId?.source ?? null,
      key: apiKey ? 'set' : demo ? 'made for each command' : null,
      keySource: apiKey?.source ?? null,
      access,
    };
    if (context.flags.json) printJson(context, status);
    else {
      const shown = (value: string | null, sourced: Sourced<unknown> | null) =>
        value === null
          ? 'not set'
          : printable(value) + (sourced ? ` (from ${describeSource(sourced.source)})` : '');
      context.print(
        renderRecord(
          [
            ['profile', `${printable(profile)} (from ${describeSource(settings.profileSource)})`],
            ['address', shown(status.baseUrl, baseUrl)],
            ['store', shown(status.storeId, storeId)],
            ['key', shown(status.key, apiKey)],
            ['access', access],
          ],
          context.out,
        ),
      );
    }
    return access === 'refused' || access === 'no key' ? exitCodes.notAllowed : undefined;

    async function tryKey(): Promise<string> {
      if (!demo && apiKey === null) return 'no key';
      const { client, storeId: id } = await context.connect();
      const outcome = await client.call(showSettings, {
        parameters: { storeId: id },
        body: null,
        signal: context.io.signal,
        timeoutMs: context.flags.timeoutMs ?? 15_000,
      });
      if (outcome.kind === 'applied') return 'works';
      if (outcome.kind !== 'rejected') {
        throw new CliError({
          code: outcome.failure.code,
          exitCode: exitCodes.notApplied,
          message: `the key could not be tried: ${outcome.failure.message}`,
          hint: 'check the address and the network, or add --offline',
          outcome: 'not_sent',
        });
      }
      if (outcome.status === 401) return 'refused';
      if (outcome.status === 403) return 'works, without the right to read settings';
      return `the service answered ${outcome.status}: ${printable(outcome.problem.message)}`;
    }
  },
};
