import type * as z from 'zod/mini';
import { knownValues } from '../../../contract/fields.ts';
import { fitting } from '../../../contract/filters.ts';
import { kindOf, type ObjectKind } from '../../../contract/objects.ts';
import type { Operation } from '../../../contract/operation.ts';
import { maxPageSize } from '../../../contract/pages.ts';
import type { CommandCall, CommandDefinition } from '../../command/command-definition.ts';
import { listKnown, rememberObjects } from '../../command/known.ts';
import { isForPerson, limitOption, noticeMore, printList, readLimit } from '../../command/lists.ts';
import { printJson } from '../../command/print-json.ts';
import { fieldNames, namesIn } from '../../command/response-fields.ts';
import { type Phrase, phrase, toRun } from '../../config/phrase.ts';
import { advancedGroup, type OptionSpec } from '../../core/option-spec.ts';
import { isOn, optionValue, type ParsedCommand } from '../../core/parsed-command.ts';
import { line } from '../../core/sanitize.ts';
import { deriveFlags, type FieldFlag, flagValues, parseFlag } from '../../input/field-flags.ts';
import { checkFields } from '../../input/request-body.ts';
import { newRun } from '../call/run.ts';
import { drawList, type ListView } from './draw-list.ts';
import { cannotBeAsked, noticeMemory, seenOption } from './memory.ts';
import { readPages } from './read-pages.ts';

/** A list of the service. If the service does not have the list, the objects that this machine has seen are listed. */
interface ServiceList extends ListView {
  readonly operation: Operation & { readonly query: z.ZodMiniObject };
  readonly kind: ObjectKind;
  /** The command that a user with an empty list can run. Missing if no command makes such objects. */
  readonly start?: readonly string[];
}

const afterOption: OptionSpec = {
  flag: '--after',
  value: 'NEXT',
  description: 'Begin where an earlier page ended: its `next`',
  input: { type: 'string', description: 'Begin where an earlier page ended: its next' },
  group: advancedGroup,
};

const pageOption: OptionSpec = {
  flag: '--page',
  description: 'With --json: one page as the service sent it, with `next`',
  group: advancedGroup,
};

/** The command that lists objects of a kind. Its filters come from the contract. */
export function listCommand(list: ServiceList): CommandDefinition {
  const { operation, columns } = list;
  const filters = deriveFlags(operation.query, { without: ['limit', 'after'] });
  const words = operation.id.replace('.', ' ');
  return {
    description: `${operation.summary}. If the service cannot list them, a terminal shows those that this machine
has seen.`,
    tool: { description: `${operation.summary}.`, sends: operation, argv: [pageOption.flag] },
    options: [...filters.map(filterOption), limitOption, seenOption, afterOption, pageOption],
    examples: [
      words,
      ...filters.flatMap((field) => exampleOf(field).map((example) => `${words} ${example}`)),
      `${words} --fields ${['id', ...columns.slice(0, 2)].join(',')}`,
    ],
    responseFields: () => fieldsOf(operation),
    run: (call) => runList(call, list, filters),
  };
}

/** Names of the fields of an item. */
function fieldsOf({ response }: Operation): string[] {
  return [...fieldNames(response.shape.items as z.ZodMiniType), 'seenAt'];
}

function filterOption({ flag, kind, description, schema }: FieldFlag): OptionSpec {
  const complete = knownValues(schema);
  const input = { type: kind === 'boolean' ? 'boolean' : 'string', ...(complete && { enum: complete }) };
  const value = complete === undefined ? flagValues[kind] : flag.slice(2).toUpperCase();
  const named = complete === undefined ? description : `${description}: ${complete.join(', ')}`;
  return { flag, description: named, input, complete, ...(value !== null && { value }) };
}

function exampleOf({ flag, kind, schema }: FieldFlag): string[] {
  if (kind === 'boolean') return [flag];
  const [value] = knownValues(schema) ?? [];
  return value === undefined ? [] : [`${flag} ${value}`];
}

/** The filters as a query. Throws exit 2 for a value that the contract does not allow. */
function readFilters(
  { operation }: ServiceList,
  filters: readonly FieldFlag[],
  { options }: ParsedCommand,
): Record<string, string> {
  const given = filters.flatMap((field) => {
    const typed = options.get(field.flag);
    return typed === undefined ? [] : [[field.path.join('.'), parseFlag(field, typed)] as const];
  });
  checkFields(operation.query, filters, Object.fromEntries(given));
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function runList(
  call: CommandCall,
  list: ServiceList,
  fields: readonly FieldFlag[],
): Promise<undefined> {
  const { ui, session, parsed } = call;
  const { operation, kind } = list;
  const { plural } = kindOf(kind);
  const filters = readFilters(list, fields, parsed);
  const limit = readLimit(parsed, ui);
  const isPage = ui.json && ui.fields === null && isOn(parsed, pageOption.flag);
  const wanted = { filters, limit, isPage };
  if (isOn(parsed, seenOption.flag)) return printSeen(call, list, wanted);
  const target = await session.connect();
  const request = { operation, parameters: {}, body: null };
  const found = await readPages(
    { ...newRun(call, target, request), fields },
    {
      filters,
      limit: isPage ? Math.min(limit, maxPageSize) : limit,
      after: optionValue(parsed, afterOption.flag),
    },
  );
  if (found === null) {
    if (!isForPerson(ui)) throw cannotBeAsked('list', plural);
    noticeMemory(ui, 'list', plural);
    return printSeen(call, list, wanted);
  }
  const { items, next } = found;
  await rememberObjects(session, kind, items);
  if (isPage) {
    printJson(ui, { items, ...(next !== null && { next }) });
    return undefined;
  }
  // Only a terminal shows short ids, and a history may be long.
  const known = isForPerson(ui) ? (await listKnown(session, kind)).map(({ id }) => id) : [];
  const shown = await annotated(call, list, items);
  printList(ui, items, {
    empty: nothingFound(list, filters),
    fields: [...fieldsOf(operation), ...namesIn(items)],
    show() {
      ui.print(drawList(ui, list, { items: shown, known, age: 'createdAt' }));
      if (next !== null) ui.notice(line`Showing the first ${items.length}. Use --limit N to see more.`);
    },
  });
  return undefined;
}

/** The items as people see them. */
async function annotated(
  { ui, session }: CommandCall,
  { annotate }: ServiceList,
  items: readonly Readonly<Record<string, unknown>>[],
) {
  return ui.json || ui.quiet || annotate === undefined ? items : annotate(session, items);
}

interface Wanted {
  readonly filters: Readonly<Record<string, string>>;
  readonly limit: number;
  /** As the service sends a page. */
  readonly isPage: boolean;
}

/** The objects that this machine has seen, the last one first. */
async function printSeen(
  call: CommandCall,
  list: ServiceList,
  { filters, limit, isPage }: Wanted,
): Promise<undefined> {
  const { ui, session } = call;
  const all = await listKnown(session, list.kind);
  const known = all.map(({ id }) => id);
  const objects = all.map(({ id, seenAt, fields }): Record<string, unknown> => ({ id, ...fields, seenAt }));
  const matching = fitting(list.operation, objects, filters);
  const items = matching.slice(0, limit);
  if (isPage) {
    printJson(ui, { items });
    return undefined;
  }
  const shown = await annotated(call, list, items);
  printList(ui, items, {
    empty: line`This machine has seen no ${kindOf(list.kind).plural}${all.length > 0 ? ' that match' : ''}.`,
    fields: fieldsOf(list.operation),
    show() {
      ui.print(drawList(ui, list, { items: shown, known, age: 'seenAt' }));
      noticeMore(ui, matching.length, limit);
    },
  });
  return undefined;
}

function nothingFound({ kind, start }: ServiceList, filters: Readonly<Record<string, string>>): Phrase {
  const { plural } = kindOf(kind);
  if (Object.keys(filters).length > 0) return line`No ${plural} match.`;
  return start === undefined ? line`No ${plural}.` : phrase`No ${plural}. Start with ${toRun(...start)}.`;
}
