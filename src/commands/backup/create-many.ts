import { PassThrough } from 'node:stream';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { type Context, createContext } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile, nameProfileInCommands } from '../../cli/config/connection-settings.ts';
import { CliError, type ErrorDetails, usageError } from '../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';
import { getPath } from '../../cli/core/field-path.ts';
import type { ParsedCommand } from '../../cli/core/parsed-command.ts';
import { printable, printableInOneLine } from '../../cli/core/sanitize.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { mostSevereExitCode, withResultsFile } from '../../cli/operation/run/bulk.ts';
import { describeHistoryError } from '../../cli/operation/run/history-error.ts';
import { isOutputWritten, markReported } from '../../cli/operation/run/mark-reported.ts';
import { noticeDone } from '../../cli/operation/run/print-result.ts';
import { outputFileOption } from '../../cli/output/output-file.ts';
import { renderTable } from '../../cli/output/tables.ts';
import { createBackup } from '../../contract/operations/backups.ts';
import { allProfiles } from './profiles.ts';

/** A store to back up: the context of its profile, with what it prints on stdout. */
interface Store {
  readonly profile: string;
  readonly storeId: string | null;
  readonly origin: string | null;
  readonly context: Context;
  readonly output: PassThrough;
}

/** The result for one store, as `--json` prints it. */
interface StoreResult {
  readonly profile: string;
  readonly storeId: string | null;
  /** The answer of the service, or the request of a dry run; null if it failed. */
  readonly backup: unknown;
  readonly error: Omit<ErrorDetails, 'exitCode'> | null;
}

/**
 * Backs up the store of each profile, one after the other: each with its own key, history and idempotency key. One that
 * fails does not stop the others. The exit code is the most severe one.
 */
export async function backUpMany(
  context: Context,
  parsed: ParsedCommand,
  profiles: readonly string[],
  one: CommandDefinition,
): Promise<ExitCode> {
  for (const flag of ['--store', '--base-url', '--idempotency-key']) {
    if (parsed.options.has(flag))
      throw usageError(
        `${flag} cannot be used with several profiles`,
        `each store needs its own: leave out ${flag}`,
      );
  }
  const stores: Store[] = [];
  try {
    for (const profile of profiles) stores.push(await openStore(context, profile));
    const different = withoutRepeated(context, stores);
    const options = new Map(
      [...parsed.options].filter(
        ([flag]) => !['--profile', '--demo', allProfiles, outputFileOption.flag].includes(flag),
      ),
    );
    await askMissing(context, options);
    return await withResultsFile(context, parsed, async (write) => {
      const results: StoreResult[] = [];
      const codes: ExitCode[] = [];
      for (const store of different) {
        const { result, exitCode } = await backUp(store, () =>
          one.run(store.context, { ...parsed, options }),
        );
        results.push(result);
        codes.push(exitCode);
      }
      await print(context, results);
      write(results);
      for (const { context: own } of different) await report(context, own);
      const exitCode = mostSevereExitCode(codes);
      if (exitCode !== exitCodes.done) throw incomplete(results, exitCode);
      return exitCode;
    });
  } finally {
    for (const store of stores) await store.context.close();
  }
}

/** In a terminal, asks once for what all stores need and no flag gives. */
async function askMissing(
  context: Context,
  options: Map<string, readonly string[] | boolean>,
): Promise<void> {
  if (!context.canPrompt || options.has('--from-file') || options.has('--set')) return;
  const missing = deriveFlags(createBackup.body).filter(
    ({ flag }) => ['--label', '--sections'].includes(flag) && !options.has(flag),
  );
  if (missing.length === 0) return;
  const { askInto } = await import('../../cli/operation/questions/ask-missing.ts');
  const { askFromStart, explainKeys } = await import('../../cli/prompts/questions.ts');
  const body: Record<string, unknown> = {};
  const questions = missing.map((field) => () => askInto(context, body, field));
  explainKeys(context);
  await askFromStart(() => questions);
  for (const { flag, path } of missing) options.set(flag, [getPath(body, path)].flat().map(String));
}

async function openStore({ io, flags }: Context, profile: string): Promise<Store> {
  const output = new PassThrough();
  const context = await createContext({
    // Printed for all stores at the end. With --quiet, notices are dropped as well.
    io: { ...io, stdout: output, stderr: flags.quiet ? new PassThrough().resume() : io.stderr },
    flags: { ...flags, profile, json: true, fields: null, quiet: false, noInput: true },
  });
  const { storeId, baseUrl, apiKey } = await context.settings();
  const elsewhere = Object.entries({ store: storeId, address: baseUrl, key: apiKey }).find(
    ([, setting]) => setting !== null && setting.source !== 'profile',
  );
  if (elsewhere !== undefined && profile !== demoProfile) {
    const [what, setting] = elsewhere;
    throw usageError(
      `the ${what} of profile ${profile} comes from ${setting?.source === 'folder' ? '.storectl.json' : 'the environment'}, so every profile would use it`,
      'unset it: with several profiles, each profile uses its own stored value',
    );
  }
  return { profile, storeId: storeId?.value ?? null, origin: baseUrl?.value.origin ?? null, context, output };
}

/** Two profiles may name one store of one service. */
function withoutRepeated({ notice }: Context, stores: readonly Store[]): Store[] {
  return stores.filter(({ profile, storeId, origin }, index) => {
    const first = stores.findIndex((other) => other.storeId === storeId && other.origin === origin);
    if (storeId === null || first === index) return true;
    notice(`Profiles ${stores[first]?.profile} and ${profile} use the same store: it is backed up once.`);
    return false;
  });
}

async function backUp(
  { profile, storeId, output }: Store,
  run: () => Promise<ExitCode | undefined>,
): Promise<{ result: StoreResult; exitCode: ExitCode }> {
  try {
    const exitCode = (await run()) ?? exitCodes.done;
    const backup: unknown = JSON.parse(String(output.read() ?? 'null'));
    return { result: { profile, storeId, backup, error: null }, exitCode };
  } catch (thrown) {
    const error = thrown instanceof CliError ? thrown : describeHistoryError(thrown);
    if (!(error instanceof CliError)) throw error;
    const { exitCode, hint, ...details } = error.details;
    return {
      result: {
        profile,
        storeId,
        backup: null,
        error: { ...details, hint: hint && nameProfileInCommands(hint, profile) },
      },
      exitCode,
    };
  }
}

async function print(context: Context, results: readonly StoreResult[]): Promise<void> {
  const { flags, out } = context;
  const idOf = ({ backup }: StoreResult) => getPath(backup, ['id']);
  const count = results.filter(({ error }) => error === null).length;
  if (!flags.dryRun && count > 0)
    noticeDone(context, `Backed up ${count} ${count === 1 ? 'store' : 'stores'}`);
  if (flags.quiet) {
    for (const id of results.map(idOf)) if (typeof id === 'string') context.print(printable(id));
  } else if (flags.json) printJson(context, results);
  else {
    const rows = results.map((result) => [
      printable(result.profile),
      flags.dryRun
        ? printable(String(getPath(result.backup, ['url']) ?? '-'))
        : printable(String(idOf(result) ?? '-')),
      result.error === null
        ? flags.dryRun
          ? 'would be sent'
          : 'created'
        : printableInOneLine(result.error.message),
    ]);
    context.print(renderTable(['profile', flags.dryRun ? 'request' : 'backup', 'result'], rows, out));
  }
  if (flags.dryRun) context.notice('dry run: nothing was sent');
}

/** Records that the answers have reached the user, once stdout has taken them. */
async function report({ io, applied }: Context, own: Context): Promise<void> {
  const records = [...own.applied];
  if (await isOutputWritten(io)) await markReported(own);
  // An output that fails later is still an error: exit 12.
  applied.push(...records.map((record) => ({ ...record, reported: true })));
}

function incomplete(results: readonly StoreResult[], exitCode: ExitCode): CliError {
  const failed = results.filter(({ error }) => error !== null);
  const [only] = failed;
  return new CliError({
    code: 'incomplete',
    exitCode,
    message: `${failed.length} of ${results.length} stores failed:\n${failed.map(({ profile, error }) => `  ${profile}: ${error?.message}`).join('\n')}`,
    hint: failed.length === 1 ? only?.error?.hint : 'run the same command again for these profiles',
    outcome: failed.some(({ error }) => error?.outcome === 'unknown') ? 'unknown' : undefined,
  });
}
