import { type Operation, pathParameterProblem } from '../contract/operation.ts';
import type { Context } from './context.ts';
import { cancelledError } from './errors.ts';
import type { FieldFlag } from './flags.ts';
import { type KnownId, knownIds } from './known-ids.ts';
import { renderRecord, rowsOf } from './output.ts';
import { getPath, setPath } from './paths.ts';
import { askChoice, askField, askSeveral, askText, askYesNo, insisting, wentBack } from './prompts.ts';

/** What is missing of an operation's input, to be asked for in this order. */
export interface Missing {
  readonly operation: Operation;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly fields: readonly FieldFlag[];
  /** Shows what the fields are about, as soon as the parameters are known. */
  introduce?(parameters: Readonly<Record<string, string>>): Promise<void>;
}

/** Asked, and to be stored by {@link askMissing}. */
interface Question {
  ask(): Promise<void>;
}

/**
 * Asks for what is missing, one question after the other, and stores the answers in `parameters` and `body`.
 * Escape goes back to the question before. Only with a terminal on both ends.
 */
export async function askMissing(
  context: Context,
  { operation, parameters: names, fields, introduce }: Missing,
  parameters: Record<string, string>,
  body: Record<string, unknown>,
): Promise<void> {
  const known = await knownIds(context, operation);
  const questions: Question[] = [
    ...names.map(({ name, description }) => ({
      async ask() {
        parameters[name] = await askId(context, description, known);
      },
    })),
    ...fields.map((field) => ({
      async ask() {
        const chosen = known.find(({ id }) => Object.values(parameters).includes(id));
        const answer =
          field.path.join('.') === 'sections' && chosen?.sections
            ? await askSeveral(context.io, field.description, chosen.sections)
            : await askField(context.io, field, getPath(body, field.path));
        setPath(body, field.path, answer);
      },
    })),
  ];
  if (questions.length > 1)
    context.notice(
      context.err.color.dim(`${context.err.plain ? '< and Enter' : 'Esc'} goes back, Ctrl-C cancels.`),
    );
  await askInTurn(questions.slice(0, names.length));
  await introduce?.(parameters);
  await askInTurn(questions.slice(names.length));
}

/** Shows what is about to be sent, and goes on only after a yes. */
export async function confirmSummary(
  context: Context,
  operation: Operation,
  body: Record<string, unknown> | null,
): Promise<void> {
  const values = { now: context.now(), currency: null };
  context.notice(`\n${renderRecord(rowsOf(body ?? {}, values), context.err)}\n`);
  const send = await insisting(() => askYesNo(context.io, `${operation.summary}: send this?`, true));
  if (!send) throw cancelledError();
}

/** Lets the user choose fields of a partial update, then asks for each of them. */
export async function askChosenFields(
  context: Context,
  fields: readonly FieldFlag[],
  body: Record<string, unknown>,
): Promise<void> {
  const choices = fields.filter(({ kind }) => kind !== 'map');
  const chosen = await askSeveral(
    context.io,
    'What shall change?',
    choices.map(({ flag, description }) => ({ value: flag, name: description })),
  );
  await askInTurn(
    choices
      .filter(({ flag }) => chosen.includes(flag))
      .map((field) => ({
        ask: async () =>
          setPath(body, field.path, await askField(context.io, field, getPath(body, field.path))),
      })),
  );
}

async function askInTurn(questions: readonly Question[]): Promise<void> {
  for (let index = 0; index < questions.length; ) {
    try {
      await questions[index]?.ask();
      index += 1;
    } catch (error) {
      if (!wentBack(error)) throw error;
      index = Math.max(0, index - 1);
    }
  }
}

/** Offers the ids that this machine knows, since the service lists none. */
async function askId({ io }: Context, description: string, known: readonly KnownId[]): Promise<string> {
  const validate = (text: string) => pathParameterProblem(text.trim()) ?? true;
  const another = '';
  if (known.length > 0) {
    const chosen = await askChoice(io, description, [
      ...known.map(({ id, description: name }) => ({ value: id, name: `${id}  ${name}` })),
      { value: another, name: 'another one' },
    ]);
    if (chosen !== another) return chosen;
  }
  return (await askText(io, description, { validate })).trim();
}
