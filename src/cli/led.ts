import { CliError, cancelledError, WentBack } from './errors.ts';
import { type FieldFlag, nameOfField } from './flags.ts';
import { askFromStart, askInTurn, unlessBack } from './interview.ts';
import type { Run } from './operation-command.ts';
import { renderRecord, rowsOf } from './output.ts';
import { getPath } from './paths.ts';
import type { Performed } from './perform.ts';
import { askChoice, askSeveral } from './prompts.ts';
import { printableLines } from './sanitize.ts';
import { formatValue } from './values.ts';
import type { Interview } from './wizard.ts';

/**
 * Performs a run for somebody who was asked for some of it: shows the whole before it is sent, lets the user go back to
 * the answers, and asks again for those that the service refuses.
 */
export async function performLed(
  run: Run,
  interview: Interview,
  { hasOwnConfirmation, send }: { readonly hasOwnConfirmation: boolean; send(): Promise<Performed> },
): Promise<Performed> {
  let wasRefused = false;
  for (;;) {
    try {
      if (run.operation.class !== 'read') {
        showRequest(run);
        if (!hasOwnConfirmation) await agree(run, interview);
      }
      return await send();
    } catch (error) {
      if (error instanceof WentBack) {
        await interview.goBack();
        continue;
      }
      const fields = correctableFields(run, error);
      if (fields.length === 0) throw wasRefused ? withoutEffect(error) : error;
      wasRefused = true;
      const { message } = error as CliError;
      run.context.notice(`\n${run.context.err.color.yellow(printableLines(message))}\n`);
      await askFromStart(() => fields.map((field) => interview.questionOf(field))).catch(
        (reason: unknown) => {
          throw withoutEffect(reason);
        },
      );
    }
  }
}

function showRequest({ context, body }: Run): void {
  const values = { now: context.now(), currency: null };
  const rows = rowsOf(body ?? {}, values);
  if (rows.length > 0) context.notice(`\n${renderRecord(rows, context.err)}\n`);
}

/** Goes on only after a yes. */
async function agree(run: Run, interview: Interview): Promise<void> {
  const { context, operation } = run;
  for (;;) {
    const answer = await askChoice(context.io, `${operation.summary}: send this?`, [
      { value: 'yes', name: 'yes, send it' },
      { value: 'change', name: 'change or add something first' },
      { value: 'no', name: 'no, send nothing' },
    ]);
    if (answer === 'yes') return;
    if (answer === 'no') throw cancelledError();
    await unlessBack(() => askForMore(run, interview));
    showRequest(run);
  }
}

/** Asks for any fields of the request, those that it can do without as well. */
async function askForMore({ context, fields, body }: Run, interview: Interview): Promise<void> {
  const values = { now: context.now(), currency: null };
  const choices = fields
    .filter(({ path }) => path.join('.') !== 'idempotencyKey')
    .map((field) => {
      const value = getPath(body, field.path);
      const shown = value === undefined ? '' : `: ${formatValue('', value, values).slice(0, 40)}`;
      return { value: field.flag, name: field.description + shown, short: nameOfField(field) };
    });
  let chosen: readonly FieldFlag[] = [];
  const choose = async () => {
    const flags = await askSeveral(
      context.io,
      'What shall be changed or added?',
      choices,
      chosen.map(({ flag }) => flag),
    );
    chosen = fields.filter(({ flag }) => flags.includes(flag));
  };
  await askInTurn(() => [{ ask: choose }, ...chosen.map((field) => interview.questionOf(field))]);
}

/** The fields that a definite refusal names and that can be asked for; none for any other error. */
function correctableFields({ fields }: Run, error: unknown): FieldFlag[] {
  if (!(error instanceof CliError)) return [];
  const { outcome, status, fields: named = [] } = error.details;
  if (outcome !== 'rejected' || (status !== 400 && status !== 422)) return [];
  return fields.filter(({ flag }) => named.some((one) => one.flag === flag));
}

/** A cancellation after a refusal: something was sent, and it had no effect. */
function withoutEffect(error: unknown): unknown {
  if (!(error instanceof CliError) || error.details.code !== 'cancelled') return error;
  const message = 'cancelled; the service refused what was sent before, and it had no effect';
  return new CliError({ ...error.details, message, outcome: 'rejected' });
}
