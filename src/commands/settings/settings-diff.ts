import { isObject } from '../../base/json.ts';
import { CliError, type Step } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { dottedPath } from '../../cli/core/field-path.ts';
import { type Change, changesBetween, sameJson } from '../../cli/core/json-changes.ts';
import { inexactNumber, isTooDeep, maxNestingDepth } from '../../cli/core/json-text.ts';
import type { PreparedInput } from '../../cli/operation/call/operation-command.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { readBeforeWrite, send } from '../../cli/operation/send/send-run.ts';
import { describeChanges } from '../../cli/output/describe-changes.ts';
import { withoutColors } from '../../cli/output/style.ts';
import { saveSettings, serverOwnedSettings, showSettings } from '../../contract/operations/settings.ts';

/** The operations settings as the service has them now. */
export interface CurrentSettings {
  readonly document: Record<string, unknown>;
  /** The same as the service sent it. */
  readonly text: string;
  readonly etag: string | null;
}

/** A run that reads the settings first; its body is set later. */
export async function settingsRun(input: PreparedInput): Promise<Run> {
  return {
    target: await input.session.connect(),
    request: { operation: saveSettings, parameters: {}, body: null },
    ...input,
    interview: null,
  };
}

/** Reads the settings. Throws exit 7 if the answer is not an object: saving over it would lose it. */
export async function readSettings(run: Run): Promise<CurrentSettings> {
  const request = { operation: showSettings, parameters: {}, body: null };
  const { answer, text, etag } = await readBeforeWrite({ ...run, request });
  if (isObject(answer) && !isTooDeep(answer)) return { document: answer, text, etag };
  throw new CliError({
    code: 'unreadable_settings',
    exitCode: exitCodes.rejected,
    what: isObject(answer)
      ? `the service returned settings nested more than ${maxNestingDepth} levels deep`
      : 'the service returned settings that are not a JSON object',
    next: [{ run: ['settings', 'show', '--json'], rest: 'to see them' }],
    outcome: 'not_sent',
  });
}

/** The document without the fields that belong to the service. */
export function clientFields(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => !serverOwnedSettings.some((owned) => owned === name)),
  );
}

/** Exit 6: someone else changed the settings in the meantime. Shows the differences. */
export function movedError(
  before: unknown,
  after: unknown,
  next: readonly Step[],
  what = 'someone else changed the settings in the meantime',
): CliError {
  const moved = changesBetween(before, after);
  return new CliError({
    code: 'settings_moved',
    exitCode: exitCodes.conflict,
    what,
    lines: describeChanges(moved, { color: withoutColors, width: null }).split('\n'),
    next,
    outcome: 'not_sent',
    fields: moved.map(({ path, after }) => ({
      field: dottedPath(path),
      flag: null,
      detail: JSON.stringify(after) ?? 'removed',
    })),
  });
}

/** A save that was compared with the current settings. */
export interface PreparedSave {
  /** Empty if nothing would change; then nothing is sent. */
  readonly changes: readonly Change[];
  send(): Promise<Result>;
}

/**
 * Prepares saving `next` over `base`. Sending reads the settings again, stops if they changed since `base`, and keeps the
 * former document in the history.
 */
export function prepareSave(
  run: Run,
  base: CurrentSettings,
  next: Record<string, unknown>,
  ifMoved: readonly Step[],
): PreparedSave {
  const changes = changesBetween(clientFields(base.document), next);
  if (changes.length === 0) {
    return {
      changes,
      send: async () => ({ answer: base.document, text: base.text, etag: base.etag, record: null }),
    };
  }
  refuseInexactNumbers(base);
  return {
    changes,
    async send() {
      const again = await readSettings(run);
      if (!sameJson(base.document, again.document)) throw movedError(base.document, again.document, ifMoved);
      const request = { ...run.request, body: next };
      return send({ ...run, request }, { former: JSON.stringify(base.document), ifMatch: again.etag });
    },
  };
}

/** Saving sends the whole document back, so a number that JavaScript cannot represent would change. */
function refuseInexactNumbers({ text }: CurrentSettings): void {
  const number = inexactNumber(text);
  if (number === null) return;
  throw new CliError({
    code: 'inexact_number',
    exitCode: exitCodes.rejected,
    what: `the settings contain the number ${number}, which storectl cannot save exactly`,
    next: [{ say: 'use a number of at most 15 digits, or a string' }],
    outcome: 'not_sent',
  });
}
