import { isObject } from '../../base/json.ts';
import { getPath } from '../../cli/core/field-path.ts';
import type { FieldFlag } from '../../cli/input/field-flags.ts';
import type { PreparedInput } from '../../cli/operation/call/operation-command.ts';
import { askInto } from '../../cli/operation/questions/ask-missing.ts';
import type { MoreChanges } from '../../cli/operation/questions/choose-changes.ts';
import { askChoice, askText } from '../../cli/prompts/prompts.ts';
import { unlessBack } from '../../cli/prompts/questions.ts';
import { eventTypes } from '../../contract/operations/notifications.ts';
import { saveSettings } from '../../contract/operations/settings.ts';

const parts = saveSettings.body.shape.templates.def.innerType.def.innerType.def.valueType.shape;

/** Questions for the template of one notification: which one, then its title, text and whether it is private. */
export function askTemplate(
  { ui, session }: PreparedInput,
  body: Record<string, unknown>,
  current: Readonly<Record<string, unknown>>,
): MoreChanges {
  const { io } = ui;
  let name = '';
  const chooseName = async () => {
    const stored = isObject(current.templates) ? Object.keys(current.templates) : [];
    const names = [...new Set([...stored, ...eventTypes])];
    const choices = names.map((one) => ({
      value: one,
      name: stored.includes(one) ? one : `${one} (no template yet)`,
      short: one,
    }));
    const other = { value: '', name: 'Other…' };
    for (let typed: string | null = null; typed === null; ) {
      name = await askChoice(
        io,
        'Which notification template do you want to change?',
        [...choices, other],
        name || undefined,
      );
      // Escape goes back to the list.
      typed = name === '' ? await unlessBack(() => askText(io, 'Template name')) : name;
      name = typed?.trim() ?? '';
    }
  };
  const askPart =
    (part: 'title' | 'body' | 'private', kind: FieldFlag['kind'], description: string) => () => {
      const path = ['templates', name, part];
      const field: FieldFlag = {
        path,
        kind,
        description,
        flag: '--set',
        required: true,
        schema: parts[part],
        fileFlag: part === 'body' ? '--from-file' : null,
      };
      return askInto(ui, session, body, field, { now: getPath(current, path) });
    };
  return {
    name: 'Notification template',
    questions: [
      chooseName,
      askPart('title', 'text', 'Title of the notification'),
      askPart('body', 'text', 'Body of the notification'),
      askPart('private', 'boolean', 'Hide values in the notification'),
    ],
  };
}
