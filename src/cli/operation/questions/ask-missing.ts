import { type Operation, pathParameterProblem } from '../../../contract/operation.ts';
import type { Context } from '../../command/context.ts';
import { knownWords } from '../../completion/known-values.ts';
import { CliError } from '../../core/errors.ts';
import { getPath, setPath } from '../../core/field-path.ts';
import { printableLines } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { askChoice, askText, type Choice } from '../../prompts/prompts.ts';
import {
  askFromStart,
  explainKeys,
  type Question,
  type Questions,
  unlessBack,
} from '../../prompts/questions.ts';
import type { Interview } from '../run/run.ts';
import { askField } from './ask-field.ts';
import { type KnownId, knownIds } from './known-ids.ts';

interface AskedId {
  readonly name: string;
  readonly description: string;
}

/** What the user is asked for of an operation's input, in this order. */
export interface Missing {
  readonly operation: Operation;
  /** Questions of the command's own, before the others. */
  readonly first: Questions;
  /** The ids in the path, those that are given included. */
  readonly ids: readonly AskedId[];
  readonly fields: readonly FieldFlag[];
  /** Shows what the fields are about, as soon as the parameters are known. */
  introduce?(parameters: Readonly<Record<string, string>>): Promise<void>;
}

/** Whether the service knows no such thing: an id is mistyped, or of another store. */
export function isNotFound(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.details.outcome !== 'rejected') return false;
  return error.details.status === 404 || error.details.status === 410;
}

/** Says why a question is asked again. */
export function explainRefusal({ notice, err }: Context, { details }: CliError, hint = ''): void {
  const lines = [details.message, hint].filter((line) => line !== '').join('\n');
  notice(`\n${err.color.yellow(printableLines(lines))}\n`);
}

/**
 * Asks for what is missing, one question after the other, and stores the answers in `parameters` and `body`.
 * Escape goes back to the question before. Only with a terminal on both ends.
 */
export async function interview(
  context: Context,
  { operation, first, ids, fields, introduce }: Missing,
  parameters: Record<string, string>,
  body: Record<string, unknown>,
): Promise<Interview> {
  const known = await knownIds(context, operation);
  const missing = ids.filter(({ name }) => parameters[name] === undefined);
  const questionOfId = ({ name, description }: AskedId): Question => ({
    async ask() {
      for (;;) {
        parameters[name] = await askId(context, description, known, parameters[name]);
        if (ids.some((one) => parameters[one.name] === undefined)) return;
        try {
          return await introduce?.(parameters);
        } catch (error) {
          if (!isNotFound(error)) throw error;
          explainRefusal(context, error, error.details.hint);
        }
      }
    },
  });
  const questionOf = (field: FieldFlag): Question => ({
    async ask() {
      const chosen = known.find(({ id }) => Object.values(parameters).includes(id));
      const words = field.path.join('.') === 'sections' ? chosen?.sections : undefined;
      await askInto(context, operation, body, field, { words });
    },
  });
  const questions = () => [...first(), ...missing.map(questionOfId), ...fields.map(questionOf)];
  if (missing.length > 0 && known.length === 0) {
    const what = missing.map(({ description }) => description.replace(/^Id of the /, '')).join(' or ');
    context.notice(`This machine knows no ${what} to choose from, and the service lists none.`);
  }
  if (missing.length === 0) await introduce?.(parameters);
  // A change is shown at the end, which one can go back from.
  if (questions().length > (operation.class === 'read' ? 1 : 0)) explainKeys(context);
  await askFromStart(questions);
  return {
    goBack: () => askFromStart(questions, questions().length - 1),
    questionOf,
    questionsOfIds: () => ids.map(questionOfId),
  };
}

/**
 * Asks for one field of the body. Offers the words that are usual for it, and what it is: in the body, or where it is
 * not there yet, now.
 */
export async function askInto(
  { io }: Context,
  operation: Operation,
  body: Record<string, unknown>,
  field: FieldFlag,
  { words, now }: { readonly words?: readonly string[] | undefined; readonly now?: unknown } = {},
): Promise<void> {
  const hints = {
    before: getPath(body, field.path) ?? now,
    words: words ?? knownWords[operation.id]?.[field.path.join('.')],
  };
  setPath(body, field.path, await askField(io, field, hints));
}

/** Ids in a column, with what they stand for; whoever hears them hears first what they stand for. */
export function idChoices({ err }: Context, known: readonly KnownId[]): Choice[] {
  return known.map(({ id, description }) => ({
    value: id,
    name: err.plain ? `${description}, id ${id}` : `${id}  ${description}`,
  }));
}

/** Offers the ids that this machine knows, since the service lists none. */
export async function askId(
  context: Context,
  description: string,
  known: readonly KnownId[],
  before: string | undefined,
): Promise<string> {
  const { io } = context;
  const isKnown = known.some(({ id }) => id === before);
  const typeId = async () => {
    const validate = (text: string) => pathParameterProblem(text.trim()) ?? true;
    return (await askText(io, description, { validate, preset: isKnown ? undefined : before })).trim();
  };
  if (known.length === 0) return typeId();
  const another = '';
  const choices = [...idChoices(context, known), { value: another, name: 'another one' }];
  for (let preset = isKnown || before === undefined ? before : another; ; preset = another) {
    const chosen = await askChoice(io, description, choices, preset);
    if (chosen !== another) return chosen;
    // Back to the list, and no further.
    const typed = await unlessBack(typeId);
    if (typed !== null) return typed;
  }
}
