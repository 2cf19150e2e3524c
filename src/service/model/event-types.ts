import type { eventTypes } from '../../contract/operations/notifications.ts';

export type EventType = (typeof eventTypes)[number];

/** The default text of each event. */
const builtInTexts: Readonly<Record<EventType, { readonly title: string; readonly body: string }>> = {
  store_updated: { title: 'Store updated', body: 'Changed: {{changed}}.' },
  post_created: { title: 'New post: {{title}}', body: 'The post is {{status}}.' },
  dispute_opened: { title: 'Dispute opened', body: '{{kind}}: {{reason}} (respond by {{deadlineAt}})' },
  dispute_decided: { title: 'Dispute {{status}}', body: '{{resolution}}' },
  settings_updated: { title: 'Operations settings updated', body: 'Changed: {{changed}}.' },
  backup_created: { title: 'Backup created: {{label}}', body: 'Sections: {{sections}}.' },
  backup_restored: { title: 'Backup restored', body: 'Sections: {{sections}}. From backup {{backupId}}.' },
  reclaim_noticed: { title: 'Subdomain reclaim notice', body: '{{subdomain}}: {{reason}}' },
  reclaim_appealed: { title: 'Reclaim of {{subdomain}} appealed', body: '{{text}}' },
  feedback_digest: { title: 'Feedback digest', body: '{{summary}}' },
};

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(builtInTexts, name);
}

export interface TextTemplate {
  readonly title: string;
  readonly body: string;
  /** Replaces all values by an ellipsis. */
  readonly private: boolean;
}

export type EventData = Readonly<Record<string, string | readonly string[]>>;

/** The text of a notification. The default text takes the place of an empty title or body of the template. */
export function renderEvent(
  type: EventType,
  data: EventData,
  template: TextTemplate | undefined,
): { title: string; body: string } {
  const builtIn = builtInTexts[type];
  const known = template?.private ? {} : data;
  return {
    title: fill(template?.title || builtIn.title, known),
    body: fill(template?.body || builtIn.body, known),
  };
}

function fill(text: string, data: EventData): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === undefined) return '…';
    return typeof value === 'string' ? value : value.join(', ');
  });
}
