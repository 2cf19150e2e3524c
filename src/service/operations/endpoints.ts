import * as z from 'zod';
import { nearName } from '../../base/nearest-name.ts';
import { endpointKinds, eventTypes } from '../../contract/operations/notifications.ts';
import { discordUrl, maskDiscordUrl } from '../model/discord-url.ts';
import { ServiceError } from '../model/errors.ts';
import { isEventType } from '../model/event-types.ts';
import {
  color,
  distinct,
  filledLine,
  lineOrDefault,
  pattern,
  textOrDefault,
} from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { withoutNulls } from '../model/merge.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import {
  type EndpointRecord,
  findEndpoints,
  insertEndpoint,
  listEndpoints,
} from '../storage/queries/endpoints.ts';
import { byId, type PageInput, pageInput, toPage } from './pages.ts';
import type { Work } from './unit-of-work.ts';

const maxEndpoints = 20;

const webhookUrl = () =>
  pattern(300, discordUrl, 'must be a Discord webhook: https://discord.com/api/webhooks/<id>/<token>');

const eventType = () =>
  z
    .string()
    .superRefine((name, context) => {
      if (isEventType(name)) return;
      const shown = name.slice(0, 64);
      const near = nearName(eventTypes, shown);
      const got = `got "${shown}"${near === null ? '' : `; did you mean "${near}"?`}`;
      const message = `must be one of ${eventTypes.join(', ')} (${got})`;
      context.addIssue({ code: 'custom', message, params: { code: 'unknown_event' } });
    })
    .meta({ enum: eventTypes });

/** Body of `notify.add-endpoint`. */
export const newEndpoint = z.strictObject({
  kind: z.enum(endpointKinds),
  name: filledLine(80),
  url: webhookUrl(),
  events: distinct(eventType(), 32).min(1, 'must contain at least one event'),
  enabled: z.boolean().default(true),
  discordTemplate: z
    .strictObject({
      title: lineOrDefault(256).nullable().default(null),
      description: textOrDefault(4096).nullable().default(null),
      color: color().nullable().default(null),
    })
    .nullable()
    .default(null),
});

/** `notify.add-endpoint`. The URL is not called before an event occurs. */
export async function addEndpoint(work: Work, input: z.output<typeof newEndpoint>) {
  const { url, ...rest } = input;
  if ((await listEndpoints(work)).length >= maxEndpoints) {
    throw new ServiceError('state_conflict', `A store can have at most ${maxEndpoints} endpoints`);
  }
  const address = new URL(url);
  const endpoint: EndpointRecord = {
    ...rest,
    id: createId(),
    maskedUrl: maskDiscordUrl(address),
    createdAt: timestamp(work.now),
  };
  const { db, storeId } = work;
  const added = await insertEndpoint(db, { ...endpoint, storeId, secretUrl: address.href });
  if (added.changes === 0) {
    throw new ServiceError('duplicate', 'The store already has an endpoint with this URL');
  }
  return toEndpoint(endpoint);
}

/** Query of `notify.list`. */
export const endpointsQuery = pageInput({});

/** `notify.list`: newest first. */
export async function showEndpoints(tenant: Tenant, { limit, after }: PageInput) {
  const [below = null] = byId.read(after) ?? [];
  const rows = await findEndpoints(tenant, limit + 1, below);
  return toPage(rows, limit, ({ id }) => byId.write(id), toEndpoint);
}

function toEndpoint<Endpoint extends EndpointRecord>({ maskedUrl, discordTemplate, ...rest }: Endpoint) {
  return withoutNulls({
    ...rest,
    url: maskedUrl,
    discordTemplate: discordTemplate && withoutNulls(discordTemplate),
  });
}
