import { CliError, cancelledError, type FieldError, WentBack } from '../../core/errors.ts';
import { optionValue } from '../../core/parsed-command.ts';
import { apart, type Printable } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { labelOf } from '../../output/labels.ts';
import { renderRecord, rowsOf } from '../../output/tables.ts';
import { askChoice } from '../../prompts/prompts.ts';
import { askAll, askEach, nullOnBack, type Question } from '../../prompts/questions.ts';
import type { Result, Run, RunQuestions } from '../call/run.ts';
import { explainRefusal, isNotFound } from './ask-missing.ts';
import { questionsOfFields } from './what-changes.ts';

/** Thrown if the user has changed the request instead of agreeing to it. */
class AnswersChanged extends Error {
  override readonly name = 'AnswersChanged';
}

/**
 * Calls `attempt` until the service accepts the request. The user may go back to earlier questions, and is asked again for values that the
 * service refuses.
 */
export async function askUntilAccepted(
  run: Run,
  runQuestions: RunQuestions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const isChange = run.request.operation.class !== 'read';
  let wasRefused = false;
  const fail = (error: unknown): never => {
    throw wasRefused ? withoutEffect(error) : error;
  };
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AnswersChanged) continue;
      if (error instanceof WentBack) {
        await runQuestions.goBack().catch(fail);
        continue;
      }
      const questions = correctingQuestions(run, runQuestions, error);
      if (!(error instanceof CliError) || questions.length === 0) return fail(error);
      wasRefused = isChange;
      explainRefusal(run.ui, run.session, error, { nameOf: (field) => labelOfField(field, run.fields) });
      await askAll(() => questions).catch(fail);
    }
  }
}

/** Shows the request: `shown`, or else its fields. */
export function showRequest({ request, ui }: Run, shown?: Printable): void {
  const text = shown ?? renderRecord(rowsOf(request.body ?? {}), ui.err);
  if (text !== '') ui.notice(apart(text));
}

/** Asks whether to send the request. Throws exit 130 for a no, and {@link AnswersChanged} if the user has edited the request. */
export async function askWhetherToSend(
  run: Run,
  runQuestions: RunQuestions,
  question: string,
): Promise<void> {
  const answer = await askChoice(run.ui.io, question, [
    { value: 'yes', name: 'Yes' },
    { value: 'edit', name: 'Edit first' },
    { value: 'no', name: 'No, cancel' },
  ]);
  if (answer === 'no') throw cancelledError();
  if (answer === 'yes') return;
  const { body } = run.request;
  const before = structuredClone(body);
  // A user who leaves the menu with Escape has edited nothing.
  if ((await nullOnBack(() => askForMore(run, runQuestions).then(() => true))) === null && body !== null) {
    for (const name of Object.keys(body)) delete body[name];
    Object.assign(body, before);
  }
  throw new AnswersChanged();
}

/** Asks for fields of the request that the user chooses. A command with a menu of its own shows that menu again. */
async function askForMore({ request: { body }, ui, fields }: Run, runQuestions: RunQuestions): Promise<void> {
  if (runQuestions.first().length > 0) return askEach(runQuestions.first);
  const questions = questionsOfFields(ui, {
    fields: fields.filter(({ path }) => path.join('.') !== 'idempotencyKey'),
    current: body ?? {},
    questionOf: runQuestions.questionOf,
  });
  await askEach(questions);
}

/** Questions for the fields or the id that the service refused; empty for any other error. */
function correctingQuestions(
  { fields, parsed }: Run,
  runQuestions: RunQuestions,
  error: unknown,
): readonly Question[] {
  // An id that was given with --confirm is not a typing mistake.
  if (isNotFound(error)) return optionValue(parsed, '--confirm') ? [] : runQuestions.questionsOfId;
  if (!(error instanceof CliError)) return [];
  const { outcome, status, code, fields: named = [] } = error.failure;
  if (code === 'slug_taken') {
    return fields
      .filter(({ path }) => path.join('.') === 'slug')
      .map((field) => runQuestions.questionOf(field));
  }
  if (outcome !== 'rejected' || (status !== 400 && status !== 422)) return [];
  return fields
    .filter(({ flag, path }) => named.some((one) => one.flag === flag || one.field === path.join('.')))
    .map((field) => runQuestions.questionOf(field));
}

/** The label of the question for a field, if there is one. */
function labelOfField({ field, flag }: FieldError, fields: readonly FieldFlag[]): string | null {
  const own = fields.find((one) => (flag === null ? one.path.join('.') === field : one.flag === flag));
  return own === undefined ? flag : labelOf(own.path);
}

/** The cancellation after a refusal: a request was sent, and had no effect. */
function withoutEffect(error: unknown): unknown {
  if (!(error instanceof CliError) || error.failure.code !== 'cancelled') return error;
  const what = 'cancelled; the service rejected the earlier request, so nothing was changed';
  return new CliError({ ...error.failure, what, outcome: 'rejected' });
}
