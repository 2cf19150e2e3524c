import { isDeepStrictEqual } from 'node:util';
import { asObject, isObject, leafPaths, valueAt } from '../../base/json.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { CliError, type Step } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { dottedPath, mergeObjects } from '../../cli/core/field-path.ts';
import { changesBetween, type FieldChange } from '../../cli/core/json-changes.ts';
import { inexactNumber, isTooDeep, maxNestingDepth } from '../../cli/core/json-text.ts';
import { joined, line, type Printable } from '../../cli/core/sanitize.ts';
import type { GivenInput } from '../../cli/operation/call/operation-input.ts';
import { newRun, type Result, type ResultView, type Run } from '../../cli/operation/call/run.ts';
import { findChangeInDoubt } from '../../cli/operation/send/no-changes.ts';
import { readBeforeWrite } from '../../cli/operation/send/read.ts';
import { send } from '../../cli/operation/send/send.ts';
import { drawRecord, rowsOfChanges } from '../../cli/output/describe-changes.ts';
import type { Style } from '../../cli/output/style.ts';
import type { Row } from '../../cli/output/tables.ts';
import { clientFields, saveSettings, showSettings } from '../../contract/operations/settings.ts';
import { refuseMistypedSettings, splitByKnown, wrappedSettings } from './unknown-settings.ts';

/** The operations settings as the service has them now. */
export interface CurrentSettings {
  readonly document: Record<string, unknown>;
  /** The same as the service sent it. */
  readonly text: string;
  readonly etag: string | null;
}

/** A run that reads the settings first; its body is set later. */
export async function settingsRun(input: GivenInput): Promise<Run> {
  const request = { operation: saveSettings, parameters: {}, body: null };
  return { ...newRun(input, await input.session.connect(), request), fields: input.fields };
}

/** Reads the settings. Throws exit 7 if they are nested too deeply to be sent back. */
export async function readSettings(run: Run): Promise<CurrentSettings> {
  const request = { operation: showSettings, parameters: {}, body: null };
  const { response, text, etag } = await readBeforeWrite({ ...run, request });
  const document = asObject(response);
  if (!isTooDeep(document)) return { document, text, etag };
  throw new CliError({
    code: 'unreadable_settings',
    exitCode: exitCodes.rejected,
    what: `the service returned settings nested more than ${maxNestingDepth} levels deep`,
    next: [{ run: ['settings', 'show', '--json'], rest: 'to see them' }],
    outcome: 'not_sent',
  });
}

/** Exit 6: someone else changed the settings in the meantime. Shows the differences. */
function movedError(
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
    lines: rowsOfChanges(moved).map(([label, change]) => `${label}: ${change}`),
    next,
    outcome: 'not_sent',
    fields: moved.map(({ path, after }) => ({
      field: dottedPath(path),
      flag: null,
      detail: JSON.stringify(after) ?? 'removed',
    })),
  });
}

/**
 * Prepares saving `next` over `base`. Sending reads the settings again, stops if they changed since `base`, and keeps the
 * replaced document in the history. It sends nothing where nothing would change, unless there is a `changeInDoubt`: a change in
 * doubt that may set other values yet. The same values are saved over it, so that it is never sent again.
 */
export async function prepareSave(
  run: Run,
  base: CurrentSettings,
  next: Record<string, unknown>,
  ifMoved: readonly Step[],
) {
  const changes = changesBetween(clientFields(base.document), next);
  const request = { ...run.request, body: next };
  const changeInDoubt = changes.length > 0 ? null : await findChangeInDoubt(run, request);
  const changesNothing = changes.length === 0 && changeInDoubt === null;
  if (!changesNothing) refuseInexactNumbers(base);
  return {
    changes,
    changeInDoubt,
    async send(): Promise<Result> {
      if (changesNothing) return { response: base.document, text: base.text, etag: base.etag, record: null };
      const again = await readSettings(run);
      if (!isDeepStrictEqual(base.document, again.document))
        throw movedError(base.document, again.document, ifMoved);
      return send({ ...run, request }, { replaced: base.document, ifMatch: again.etag });
    },
  };
}

/** Saving sends the whole document back, so a number that JavaScript cannot represent would change. */
export function refuseInexactNumbers({ text }: CurrentSettings): void {
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

/** How saved settings are shown: only what changed. */
export const savedView = {
  done: () => 'Saved the operations settings',
  show: ({ response, record }) => {
    if (record === null || record.replaced === null || !isObject(response)) return [];
    const { rows, others } = rowsOfSettings(
      changesBetween(clientFields(record.replaced), clientFields(response)),
    );
    return [...rows, ...others];
  },
} satisfies ResultView;

/** Rows of changes; settings that the contract does not know, apart, are named by their paths. */
function rowsOfSettings(changes: readonly FieldChange[]): { readonly rows: Row[]; readonly others: Row[] } {
  const { known, unknown } = splitByKnown(changes);
  const others = unknown.flatMap(({ path, before, after }) =>
    leafPaths(after ?? before, path).flatMap((leaf) => {
      const [[, change = ''] = []] = rowsOfChanges([
        {
          path: leaf,
          before: valueAt(before, leaf.slice(path.length)),
          after: valueAt(after, leaf.slice(path.length)),
        },
      ]);
      return [[dottedPath(leaf), change] satisfies Row];
    }),
  );
  return { rows: rowsOfChanges(known), others };
}

/** The changes as text, those of unknown settings below a line that says so. */
export async function drawSettings(changes: readonly FieldChange[], style: Style): Promise<Printable> {
  const { rows, others } = rowsOfSettings(changes);
  const blocks = [
    ...(rows.length === 0 ? [] : [await drawRecord(rows, style)]),
    ...(others.length === 0
      ? []
      : [joined([line`Not settings that storectl knows:`, await drawRecord(others, style)], '\n')]),
  ];
  return joined(blocks, '\n\n');
}

/** Warns of fields that are saved as they are, because the contract does not know them. */
export function warnOfUnknown({ notice, err }: Ui, changes: readonly FieldChange[]): void {
  for (const { path, after } of splitByKnown(changes).unknown) {
    const wrapped = wrappedSettings(after);
    const advice =
      wrapped.length === 0 ? line`it is sent as it is` : line`move ${wrapped.join(', ')} out of it`;
    const unknown = line`warning: ${dottedPath(path)} is not a setting that storectl knows; ${advice}`;
    notice(err.color.yellow(unknown));
  }
}

/** What saving the given fields over the current settings would do. */
export interface PlannedSave {
  readonly current: CurrentSettings;
  readonly next: Record<string, unknown>;
  readonly changes: readonly FieldChange[];
}

/** Reads the settings and merges the run's fields into them. Throws what saving them would be refused for. */
export async function planSave(run: Run): Promise<PlannedSave> {
  const given = run.request.body ?? {};
  const current = await readSettings(run);
  const { document } = current;
  refuseMistypedSettings(given, document);
  const next = clientFields(mergeObjects(document, given));
  const changes = changesBetween(clientFields(document), next);
  const { updatedAt } = given;
  // The input says when it was read. Saving it over newer settings would undo the changes of others.
  if (changes.length > 0 && typeof updatedAt === 'string' && updatedAt !== document.updatedAt) {
    throw movedError(
      given,
      document,
      [{ say: 'read them again, or remove updatedAt from the input to save it anyway' }],
      'the settings were changed after your input was read (your input → the current settings)',
    );
  }
  if (changes.length > 0) refuseInexactNumbers(current);
  return { current, next, changes };
}
