import { valueAt } from '../../../base/json.ts';
import { memoize } from '../../../base/memoize.ts';
import { inputHintOf, isClosed, knownValues } from '../../../contract/fields.ts';
import { kindOf, kindOfParameter, type ObjectKind } from '../../../contract/objects.ts';
import { nounOf, type Operation, pathParameterProblem } from '../../../contract/operation.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { minIdLength, resolveId, shortenId } from '../../command/short-id.ts';
import type { Ui } from '../../command/ui.ts';
import { CliError, usageError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { setPath } from '../../core/field-path.ts';
import { line, printableLines } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { describeKnown } from '../../output/describe-known.ts';
import { type Audience, describeFailure } from '../../output/failure-text.ts';
import { upperFirst } from '../../output/labels.ts';
import { chooseOrType } from '../../prompts/choose-or-type.ts';
import { askText, type Choice } from '../../prompts/prompts.ts';
import { askAll, type Question, type Questions, withKeysExplained } from '../../prompts/questions.ts';
import type { InputSteps } from '../call/operation-input.ts';
import type { Run, RunQuestions } from '../call/run.ts';
import { askField, type FieldHints } from './ask-field.ts';
import { ChoseAll } from './chose-all.ts';
import { type Choices, findChoices } from './find-choices.ts';

/** Whether an error is that of a service that says that the id does not exist. */
export function isNotFound(error: unknown): error is CliError {
  // The error of a read that was refused says `not_sent`.
  if (!(error instanceof CliError) || error.failure.outcome === 'unknown') return false;
  return error.failure.status === 404 || error.failure.status === 410;
}

/** Shows why an answer was refused, before the question is asked again. By default the next steps are shown only after "not found". */
export function explainRefusal(
  ui: Ui,
  session: Session,
  error: CliError,
  {
    nameOf,
    isStepShown = isNotFound(error),
  }: { readonly nameOf?: Audience['nameOf']; readonly isStepShown?: boolean } = {},
): void {
  const audience = { now: Date.now(), flags: session.flags, ...(nameOf && { nameOf }) };
  const { message, steps } = describeFailure(error.failure, audience);
  const lines = [`error: ${message}`, ...(isStepShown ? steps.map((step) => `  ${step}`) : [])];
  ui.notice('');
  ui.notice(printableLines(lines.join('\n')), 'yellow');
  ui.notice('');
}

/** Why a text from an editor was refused: a clause, and a line for each field, by its name in the text. */
export function describeRefusal({ failure }: CliError): string {
  return describeFailure(failure, { now: Date.now(), nameOf: ({ field }) => field }).message;
}

interface WhatToAsk {
  /** Questions of the command itself. */
  readonly first: Questions | null;
  readonly fields: readonly FieldFlag[];
  readonly introduce: InputSteps['introduce'] | undefined;
  readonly offersAll: InputSteps['offersAll'] | undefined;
}

/**
 * Asks for the missing input of a run, and stores the answers in its `parameters` and its body. The order is: the questions `first` of
 * the command, the id, the `fields`. Escape goes back one question. Requires a terminal.
 */
export async function askMissing(
  run: Run,
  parameters: Record<string, string>,
  { first: asked, fields, introduce, offersAll = false }: WhatToAsk,
): Promise<RunQuestions> {
  const { ui, session } = run;
  const { operation, body } = run.request;
  const name = idParameter(operation) ?? '';
  const first = asked ?? (() => []);
  const kind = kindOfParameter(name);
  const isIdAsked = name !== '' && parameters[name] === undefined;
  let choices: Choices = {
    offered: [],
    known: kind === undefined ? [] : await listKnown(session, kind),
    isListed: false,
  };
  // `introduce` may ask the service about the id. If the service does not have the id, the user is asked for another one.
  const lookForChoices = memoize(async () => {
    if (kind !== undefined) choices = await findChoices(run, kind);
  });
  if (isIdAsked) await lookForChoices();
  const askForId: Question = async () => {
    await lookForChoices();
    for (;;) {
      const { offered, known } = choices;
      const actions = offersAll && offered.length > 1 ? [allOf(offered.length)] : [];
      const id = await askId(ui, operation, name, { all: known, offered, actions }, parameters[name]);
      if (actions.some(({ value }) => value === id)) throw new ChoseAll(offered);
      parameters[name] = id;
      try {
        return await introduce?.(run);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        explainRefusal(ui, session, error);
      }
    }
  };
  const questionsOfId = name === '' ? [] : [askForId];
  const missing = isIdAsked ? questionsOfId : [];
  const questionOf =
    (field: FieldFlag): Question =>
    async () => {
      if (!inputHintOf(field.schema).isUsuallyAll) return askInto(ui, body ?? {}, field);
      const { offered, known } = choices;
      // The object in the path may allow only some values, which are known once its id is.
      const object = [...offered, ...known].find(({ id }) => id === parameters[name]);
      const own = valueAt(object?.fields, field.path);
      const isWhole = Array.isArray(own) || isClosed(field.schema);
      const words = Array.isArray(own) ? own.map(String) : knownValues(field.schema);
      await askInto(ui, body ?? {}, field, { words, isWhole, now: words });
    };
  const questions = withKeysExplained(ui, () => [...first(), ...missing, ...fields.map(questionOf)]);
  if (missing.length > 0 && choices.offered.length === 0) {
    const what =
      operation.candidates?.what ?? (kind === undefined ? `${nounOf(name)}s` : kindOf(kind).plural);
    if (choices.isListed && kind !== undefined) throw nothingToChoose(what, kind);
    ui.notice(line`No ${what} seen on this machine. Enter an id.`);
  }
  if (missing.length === 0) await introduce?.(run);
  await askAll(questions);
  return { goBack: () => askAll(questions, questions().length - 1), first, questionOf, questionsOfId };
}

/**
 * Asks for one field of the body. The known values are suggested. The value in the body, or else the current value `now`, is offered
 * for editing.
 */
export async function askInto(
  { io }: Ui,
  body: Record<string, unknown>,
  field: FieldFlag,
  { now, ...given }: Omit<FieldHints, 'before'> = {},
): Promise<void> {
  const hints = {
    before: valueAt(body, field.path) ?? now,
    now,
    ...given,
    words: given.words ?? knownValues(field.schema),
  };
  setPath(body, field.path, await askField(io, field, hints));
}

/** Choices with an id and a description. Screen readers get the description first. */
export function idChoices({ err }: Ui, kind: ObjectKind, known: readonly KnownObject[]): Choice[] {
  const ids = known.map(({ id }) => id);
  return known.map((object) => {
    const { id } = object;
    const description = describeKnown(kind, object);
    return {
      value: id,
      name: err.plain
        ? `${description.replace(/\.$/, '')}, id ${id}`
        : `${shortenId(id, ids)}  ${description}`,
    };
  });
}

const problemsOfIds = {
  'too short': `Type at least ${minIdLength} characters.`,
  ambiguous: 'Several ids begin with this. Type more characters.',
  unknown: 'This machine has seen no id that begins with this. Type the whole id.',
} as const;

/** Exit 5: the service has none, so that there is no id to ask for. */
function nothingToChoose(what: string, kind: ObjectKind): CliError {
  const next = [{ run: kindOf(kind).list, rest: `to see all ${kindOf(kind).plural}` }];
  return usageError(`no ${what}`, next, { code: 'not_found', exitCode: exitCodes.notFound });
}

const allOf = (count: number): Choice => ({ value: '#all', name: `All ${count}, one by one` });

/** Asks for an id in the path of the operation, or for one of the `actions`, which stand above the ids. */
async function askId(
  ui: Ui,
  operation: Operation,
  parameter: string,
  {
    all,
    offered,
    actions,
  }: {
    readonly all: readonly KnownObject[];
    readonly offered: readonly KnownObject[];
    readonly actions: readonly Choice[];
  },
  before: string | undefined,
): Promise<string> {
  const { io } = ui;
  const kind = kindOfParameter(parameter);
  const noun = nounOf(parameter);
  const verb = operation.class === 'read' ? 'see' : (operation.id.split('.')[1] ?? 'use');
  const isKnown = offered.some(({ id }) => id === before);
  const typeId = async () => {
    const ids = all.map(({ id }) => id);
    const meantBy = (text: string) => (kind === undefined ? { id: text } : resolveId(text, kind, ids));
    const typed = await askText(io, upperFirst(`${noun} ID`), {
      validate(text) {
        const meant = meantBy(text.trim());
        return pathParameterProblem(text.trim()) ?? ('id' in meant || problemsOfIds[meant.problem]);
      },
      preset: isKnown ? undefined : before,
    });
    const meant = meantBy(typed.trim());
    return 'id' in meant ? meant.id : typed.trim();
  };
  if (kind === undefined || offered.length === 0) return typeId();
  const question = `Which ${noun} do you want to ${verb}?`;
  const preset = isKnown || before === undefined ? before : '';
  return chooseOrType(io, question, [...actions, ...idChoices(ui, kind, offered)], preset, typeId);
}
