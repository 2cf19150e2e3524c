import type { EventData } from '../model/event-types.ts';
import { documentOf, type SettingsDocument } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import type { DueEndpoint, PendingDelivery } from '../storage/queries/deliveries.ts';
import type { DiscordTemplate } from '../storage/queries/endpoints.ts';
import { buildMessage } from './message.ts';
import { quietHoursEnd } from './quiet-hours.ts';

export interface Outgoing {
  readonly delivery: PendingDelivery;
  readonly webhookUrl: string;
  readonly message: object;
}

/** What to do with an endpoint that is due. */
export type DeliveryPlan =
  | Outgoing
  /** Look again then: at the end of quiet hours if it is held. Null: when there is something to send. */
  | { readonly dueAt: string | null; readonly held: boolean };

/** Decides by what the database holds. Throws if that is damaged. */
export function planDelivery(
  endpoint: DueEndpoint,
  delivery: PendingDelivery | undefined,
  now: number,
): DeliveryPlan {
  const { secretUrl, isEnabled, discordTemplate } = endpoint;
  if (delivery === undefined || secretUrl === null || !isEnabled) {
    return { dueAt: null, held: false };
  }
  const saved: Partial<SettingsDocument> | null = JSON.parse(delivery.settings ?? 'null');
  const { quietHours, templates } = documentOf(saved);
  const until = quietHoursEnd(quietHours, now);
  if (until !== null) return { dueAt: timestamp(until), held: true };
  const { eventId: id, type, createdAt } = delivery;
  const data: EventData = JSON.parse(delivery.data);
  const template: DiscordTemplate | null = JSON.parse(discordTemplate ?? 'null');
  const event = { id, type, data, createdAt };
  const message = buildMessage({ event, template: templates[type], discordTemplate: template });
  return { delivery, webhookUrl: secretUrl, message };
}
