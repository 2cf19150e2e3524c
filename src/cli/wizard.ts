import { type Operation, pathParameterProblem } from '../contract/operation.ts';
import { askField } from './ask-field.ts';
import { knownWords } from './completion/words.ts';
import type { Context } from './context.ts';
import type { FieldFlag } from './flags.ts';
import { askFromStart, explainKeys, type Question, type Questions, unlessBack } from './interview.ts';
import { type KnownId, knownIds } from './known-ids.ts';
import { getPath, setPath } from './paths.ts';
import { askChoice, askText, type Choice } from './prompts.ts';

/** What the user is asked for of an operation's input, in this order. */
export interface Missing {
  readonly operation: Operation;
  /** Questions of the command's own, before the others. */
  readonly first: Questions;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly fields: readonly FieldFlag[];
  /** Shows what the fields are about, as soon as the parameters are known. */
  introduce?(parameters: Readonly<Record<string, string>>): Promise<void>;
}

/** A user who has been asked for some of the input, and can be asked again. The answers change the input in place. */
export interface Interview {
  /** Asks the last question again; Escape goes further back. */
  goBack(): Promise<void>;
  /** A question for a field of the request, whether it was asked for before or not. */
  questionOf(field: FieldFlag): Question;
}

/**
 * Asks for what is missing, one question after the other, and stores the answers in `parameters` and `body`.
 * Escape goes back to the question before. Only with a terminal on both ends.
 */
export async function interview(
  context: Context,
  { operation, first, parameters: names, fields, introduce }: Missing,
  parameters: Record<string, string>,
  body: Record<string, unknown>,
): Promise<Interview> {
  const known = await knownIds(context, operation);
  const ids = names.map(
    ({ name, description }, index): Question => ({
      async ask() {
        parameters[name] = await askId(context, description, known, parameters[name]);
        if (index === names.length - 1) await introduce?.(parameters);
      },
    }),
  );
  const questionOf = (field: FieldFlag): Question => ({
    async ask() {
      const chosen = known.find(({ id }) => Object.values(parameters).includes(id));
      const words = field.path.join('.') === 'sections' ? chosen?.sections : undefined;
      await askInto(context, operation, body, field, { words });
    },
  });
  const questions = () => [...first(), ...ids, ...fields.map(questionOf)];
  if (names.length > 0 && known.length === 0) {
    const what = names.map(({ description }) => description.replace(/^Id of the /, '')).join(' or ');
    context.notice(`This machine knows no ${what} to choose from, and the service lists none.`);
  }
  if (names.length === 0) await introduce?.(parameters);
  // A change is shown at the end, which one can go back from.
  if (questions().length > (operation.class === 'read' ? 1 : 0)) explainKeys(context);
  await askFromStart(questions);
  return { goBack: () => askFromStart(questions, questions().length - 1), questionOf };
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
  for (let preset = isKnown ? before : undefined; ; preset = another) {
    const chosen = await askChoice(io, description, choices, preset);
    if (chosen !== another) return chosen;
    // Back to the list, and no further.
    const typed = await unlessBack(typeId);
    if (typed !== null) return typed;
  }
}
