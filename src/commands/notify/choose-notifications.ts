import { listKnown } from '../../cli/command/known.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { deriveFlags, type FieldFlag } from '../../cli/input/field-flags.ts';
import { askInto, idChoices } from '../../cli/operation/questions/ask-missing.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { askChoice, askSeveral } from '../../cli/prompts/prompts.ts';
import type { Questions } from '../../cli/prompts/questions.ts';
import { markNotificationsRead } from '../../contract/operations/notifications.ts';

/** Asks which notifications to mark as read and stores the answer in the body. An empty body means all. */
export function questionsOfNotifications(ui: Ui, session: Session, body: Record<string, unknown>): Questions {
  const fields = deriveFlags(markNotificationsRead.body);
  let way = 'all';
  const choose = async () => {
    const choices = [
      { value: 'all', name: 'All' },
      { value: 'ids', name: 'Some' },
      { value: 'before', name: 'All before a certain time' },
    ];
    way = await askChoice(ui.io, 'Which notifications do you want to mark as read?', choices, way);
    for (const name of Object.keys(body)) if (name !== way) delete body[name];
  };
  const questionOf = (field: FieldFlag) => async () => {
    const seen = way === 'ids' ? await listKnown(session, 'notification') : [];
    const unread = seen.filter(({ fields }) => fields.read !== true);
    if (unread.length === 0) return askInto(ui, session, body, field);
    const before = Array.isArray(body.ids) ? body.ids.map(String) : [];
    body.ids = await askSeveral(ui.io, labelOf(field.path), idChoices(ui, 'notification', unread), before);
  };
  return () => [choose, ...fields.filter(({ path }) => path[0] === way).map(questionOf)];
}
