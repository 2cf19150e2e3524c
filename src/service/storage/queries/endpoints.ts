import type { Selectable } from 'kysely';
import type { RecordOf, Schema } from '../core/schema.ts';
import { pipelined, statement } from '../core/statement.ts';
import type { ObjectRef, Tenant } from '../core/storage.ts';

export interface DiscordTemplate {
  readonly title: string | null;
  readonly description: string | null;
  readonly color: string | null;
}

interface EndpointValues {
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly discordTemplate: DiscordTemplate | null;
}

/** An endpoint without its secret URL, as in responses and backups. */
export type EndpointRecord = Pick<
  RecordOf<'endpoints', EndpointValues>,
  'id' | 'kind' | 'name' | 'maskedUrl' | 'events' | 'enabled' | 'discordTemplate' | 'createdAt'
>;

/** Ordered by id. */
export async function listEndpoints(tenant: Tenant): Promise<EndpointRecord[]> {
  return (await selectEndpoints(tenant).orderBy('id').execute()).map(withValues);
}

/** With the reason if the service has disabled it. */
export type ListedEndpoint = EndpointRecord & { readonly disabledReason: string | null };

/** Newest first: those with lower ids than one, unless it is null. */
export async function findEndpoints(
  tenant: Tenant,
  limit: number,
  below: string | null,
): Promise<ListedEndpoint[]> {
  const query = selectEndpoints(tenant).select('disabledReason').orderBy('id', 'desc').limit(limit);
  const rows = await (below === null ? query : query.where('id', '<', below)).execute();
  return rows.map(withValues);
}

function selectEndpoints({ db, storeId }: Tenant) {
  return db
    .selectFrom('endpoints')
    .select(['id', 'kind', 'name', 'maskedUrl', 'events', 'enabled', 'discordTemplate', 'createdAt'])
    .where('storeId', '=', storeId);
}

function withValues<Row extends Pick<Selectable<Schema['endpoints']>, keyof EndpointValues>>(row: Row) {
  const discordTemplate: DiscordTemplate | null = JSON.parse(row.discordTemplate ?? 'null');
  const events: string[] = JSON.parse(row.events);
  return { ...row, events, enabled: row.enabled === 1, discordTemplate };
}

/** Changes nothing if the store has an endpoint with this URL. */
export const insertEndpoint = statement<EndpointRecord & { storeId: string; secretUrl: string }>`
  insert into endpoints (store_id, id, kind, name, masked_url, events, enabled, discord_template, created_at, secret_url)
  values (${'storeId'}, ${'id'}, ${'kind'}, ${'name'}, ${'maskedUrl'}, ${'events'}, ${'enabled'}, ${'discordTemplate'},
    ${'createdAt'}, ${'secretUrl'})
  on conflict (store_id, secret_url) do nothing`;

const keepSecret = pipelined<ObjectRef>`
  insert into removed_endpoints (store_id, endpoint_id, secret_url)
  select store_id, id, secret_url from endpoints
  where store_id = ${'storeId'} and id = ${'id'} and secret_url is not null
  on conflict (store_id, endpoint_id) do update set secret_url = excluded.secret_url`;

const removal = pipelined<ObjectRef>`delete from endpoints where store_id = ${'storeId'} and id = ${'id'}`;

/** Removes an endpoint and keeps its secret URL for {@link putEndpoint}. */
export async function archiveEndpoint({ db, storeId }: Tenant, id: string): Promise<void> {
  await keepSecret(db, { storeId, id });
  await removal(db, { storeId, id });
}

const put = pipelined<EndpointRecord & { storeId: string }>`
  insert into endpoints (store_id, id, kind, name, masked_url, events, enabled, discord_template, created_at, secret_url)
  values (${'storeId'}, ${'id'}, ${'kind'}, ${'name'}, ${'maskedUrl'}, ${'events'}, ${'enabled'}, ${'discordTemplate'},
    ${'createdAt'},
    (select secret_url from removed_endpoints where store_id = ${'storeId'} and endpoint_id = ${'id'}))
  on conflict (store_id, id) do update set kind = excluded.kind, name = excluded.name,
    masked_url = excluded.masked_url, events = excluded.events, enabled = excluded.enabled,
    discord_template = excluded.discord_template, created_at = excluded.created_at,
    disabled_reason = case when excluded.enabled = 1 then null else endpoints.disabled_reason end`;

const forgetSecret = pipelined<ObjectRef>`
  delete from removed_endpoints where store_id = ${'storeId'} and endpoint_id = ${'id'}`;

/** Changes an endpoint, or brings it back: with its secret URL if it was set aside, else without one. */
export async function putEndpoint({ db, storeId }: Tenant, endpoint: EndpointRecord): Promise<void> {
  await put(db, { ...endpoint, storeId });
  await forgetSecret(db, { storeId, id: endpoint.id });
}

/** Deletes an endpoint with its deliveries and its secret. */
export async function deleteEndpoint({ db, storeId }: Tenant, id: string): Promise<void> {
  await removal(db, { storeId, id });
  await forgetSecret(db, { storeId, id });
}
