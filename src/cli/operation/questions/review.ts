import { CliError, cancelledError, WentBack } from '../../core/errors.ts';
import { getPath } from '../../core/field-path.ts';
import { optionValue } from '../../core/parsed-command.ts';
import { type FieldFlag, nameOfField } from '../../input/field-flags.ts';
import { formatValue } from '../../output/format-value.ts';
import { renderRecord, rowsOf } from '../../output/tables.ts';
import { askChoice, askSeveral } from '../../prompts/prompts.ts';
import { askFromStart, askInTurn, type Question, unlessBack } from '../../prompts/questions.ts';
import type { OperationCommand, Preview } from '../run/operation-command.ts';
import type { Interview, Performed, Run } from '../run/run.ts';
import { perform } from '../run/send.ts';
import { explainRefusal, isNotFound } from './ask-missing.ts';

/**
 * Performs a run for somebody who was asked for some of it: shows the whole before it is sent, lets the user go back to
 * the answers, and asks again for those that the service refuses.
 */
export async function reviewAndPerform(
  run: Run,
  interview: Interview,
  command: OperationCommand,
): Promise<Performed> {
  const { notice } = run.ui.context;
  const isChange = run.request.operation.class !== 'read';
  for (let wasRefused = false; ; ) {
    try {
      const { text, changesNothing, send } = (await command.preview?.(run)) ?? previewFields(run, command);
      if (isChange && text !== '') notice(changesNothing ? text : `\n${text}\n`);
      const isSettled = !isChange || changesNothing || command.confirm !== undefined;
      if (isSettled || (await agree(run, interview))) return await send();
    } catch (error) {
      if (error instanceof WentBack) {
        await interview.goBack();
        continue;
      }
      const questions = correctingQuestions(run, interview, error);
      if (!(error instanceof CliError) || questions.length === 0)
        throw wasRefused ? withoutEffect(error) : error;
      wasRefused = isChange;
      explainRefusal(run.ui.context, error, isNotFound(error) ? error.details.hint : '');
      await askFromStart(() => questions).catch((reason: unknown) => {
        throw wasRefused ? withoutEffect(reason) : reason;
      });
    }
  }
}

/** What is sent says what will change. */
function previewFields(run: Run, command: OperationCommand): Preview {
  const { context } = run.ui;
  const rows = rowsOf(run.request.body ?? {}, { now: context.now(), currency: null });
  return {
    text: rows.length === 0 ? '' : renderRecord(rows, context.err),
    changesNothing: false,
    send: () => (command.perform ?? perform)(run),
  };
}

/** Whether to go on: false where the user has changed something, which is to be looked at first. */
async function agree(run: Run, interview: Interview): Promise<boolean> {
  const { context } = run.ui;
  const answer = await askChoice(context.io, `${run.request.operation.summary}: send this?`, [
    { value: 'yes', name: 'yes, send it' },
    { value: 'change', name: 'change or add something first' },
    { value: 'no', name: 'no, send nothing' },
  ]);
  if (answer === 'no') throw cancelledError();
  if (answer === 'change') await unlessBack(() => askForMore(run, interview));
  return answer === 'yes';
}

/** Asks for any fields of the request, those that it can do without as well. */
async function askForMore(
  { request: { body }, ui: { context, fields } }: Run,
  interview: Interview,
): Promise<void> {
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

/** Questions for what a definite refusal is about, where it can be asked for; none for any other error. */
function correctingQuestions(
  { ui: { fields, parsed } }: Run,
  interview: Interview,
  error: unknown,
): readonly Question[] {
  // An id that is confirmed on the command line is meant.
  if (isNotFound(error)) return optionValue(parsed, '--confirm') ? [] : interview.questionsOfIds();
  if (!(error instanceof CliError)) return [];
  const { outcome, status, fields: named = [] } = error.details;
  if (outcome !== 'rejected' || (status !== 400 && status !== 422)) return [];
  return fields
    .filter(({ flag }) => named.some((one) => one.flag === flag))
    .map((field) => interview.questionOf(field));
}

/** A cancellation after a refusal: something was sent, and it had no effect. */
function withoutEffect(error: unknown): unknown {
  if (!(error instanceof CliError) || error.details.code !== 'cancelled') return error;
  const message = 'cancelled; the service refused what was sent before, and it had no effect';
  return new CliError({ ...error.details, message, outcome: 'rejected' });
}
