import { firstCodePoints } from '../model/code-points.ts';
import { type EventData, isEventType, renderEvent, type TextTemplate } from '../model/event-types.ts';
import type { DiscordTemplate } from '../storage/queries/endpoints.ts';

/** Discord's limits, in characters. */
const maxTitle = 256;
const maxDescription = 4096;

export interface MessageSource {
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: EventData;
    readonly createdAt: string;
  };
  /** Of the store, for this event. */
  readonly template: TextTemplate | undefined;
  /** Of the endpoint. Its title and description override those of the store. */
  readonly discordTemplate: DiscordTemplate | null;
}

/** The body of a request to a Discord webhook. It mentions nobody, and its footer has the event id, to show duplicates. */
export function buildMessage({ event, template, discordTemplate }: MessageSource) {
  // An event of another version of this program has no text here: its type is the title.
  const text = isEventType(event.type)
    ? renderEvent(event.type, event.data, {
        title: discordTemplate?.title || template?.title || '',
        body: discordTemplate?.description || template?.body || '',
        private: template?.private ?? false,
      })
    : { title: event.type, body: '' };
  const color = discordTemplate?.color;
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: truncate(text.title, maxTitle),
        description: truncate(text.body, maxDescription),
        ...(color && { color: Number.parseInt(color.slice(1), 16) }),
        timestamp: event.createdAt,
        footer: { text: `Event ${event.id}` },
      },
    ],
  };
}

function truncate(text: string, max: number): string {
  return firstCodePoints(text, max) === text ? text : `${firstCodePoints(text, max - 1)}…`;
}
