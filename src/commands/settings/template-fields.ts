import { asObject } from '../../base/json.ts';
import { deriveFlags, type FieldFlag } from '../../cli/input/field-flags.ts';
import { eventTypes } from '../../contract/operations/notifications.ts';
import { templateSettings } from '../../contract/operations/settings.ts';

/** What a field of a template is, before the name of its event. */
const descriptions: Readonly<Record<string, string>> = {
  title: 'Title of the message about',
  body: 'Text of the message about',
  private: 'Leave values out of the message about',
};

/** The fields of the templates of messages: for each event that the contract knows, and for others that have one. */
export function templateFields(settings: Readonly<Record<string, unknown>>): FieldFlag[] {
  const events = new Set<string>([...eventTypes, ...Object.keys(asObject(settings.templates))]);
  const fields = deriveFlags(templateSettings);
  return [...events].flatMap((event) =>
    fields.map((field) => {
      const [name = ''] = field.path;
      const path = ['templates', event, name];
      const description = `${descriptions[name] ?? name} ${event}`;
      return { ...field, path, flag: `--set ${path.join('.')}`, description, required: false };
    }),
  );
}
