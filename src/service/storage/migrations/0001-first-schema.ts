import type { ColumnDefinitionBuilder, CreateTableBuilder } from 'kysely';
import type { Migration } from '../core/migration.ts';
import type { Queries } from '../core/storage.ts';

export const firstSchema: Migration = { name: '0001-first-schema', up: createFirstSchema };

async function createFirstSchema(db: Queries): Promise<void> {
  await db.schema
    .createTable('stores')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organisation_id', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('status', 'text', required)
    .addColumn('default_currency', 'text', required)
    .addColumn('timezone', 'text', required)
    .addColumn('settings', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute();

  await storeTable(db, 'api_keys')
    .addColumn('kind', 'text', required)
    .addColumn('label', 'text', required)
    .addColumn('sha256', 'text', required)
    .addColumn('scopes', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    // Authentication looks a key up before it knows the store.
    .addUniqueConstraint('api_keys_id', ['id'])
    .execute();

  await storeTable(db, 'posts')
    .addColumn('title', 'text', required)
    .addColumn('slug', 'text', required)
    .addColumn('excerpt', 'text')
    .addColumn('content_md', 'text', required)
    .addColumn('cover_image_id', 'text')
    .addColumn('tags', 'text', required)
    .addColumn('featured_product_ids', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('published_at', 'text')
    .addColumn('scheduled_at', 'text')
    .addColumn('meta_title', 'text')
    .addColumn('meta_description', 'text')
    .addColumn('view_count', 'integer', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('posts_slug', ['store_id', 'slug'])
    .execute();

  await db.schema
    .createTable('operations_settings')
    .addColumn('store_id', 'text', (column) => column.primaryKey().references('stores.id'))
    .addColumn('document', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute();

  await storeTable(db, 'disputes')
    .addColumn('order_id', 'text')
    .addColumn('buyer_email', 'text')
    .addColumn('provider_case_id', 'text')
    .addColumn('kind', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('reason', 'text', required)
    .addColumn('risk_signals', 'text', required)
    .addColumn('deadline_at', 'text', required)
    .addColumn('appeal_deadline_at', 'text', required)
    .addColumn('resolution', 'text')
    .addColumn('idempotency_key', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute();

  await disputeTable(db, 'dispute_evidence')
    .addColumn('kind', 'text', required)
    .addColumn('label', 'text', required)
    .addColumn('storage_key', 'text')
    .addColumn('text_value', 'text')
    .addColumn('submitted_by', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute();

  await disputeTable(db, 'dispute_decisions')
    .addColumn('status', 'text', required)
    .addColumn('resolution', 'text', required)
    .addColumn('decided_by', 'text', required)
    .addColumn('decided_at', 'text', required)
    .execute();

  await storeTable(db, 'backups')
    .addColumn('version', 'integer', required)
    .addColumn('label', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute();

  await db.schema
    .createTable('backup_sections')
    .addColumn('store_id', 'text', required)
    .addColumn('backup_id', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('position', 'integer', required)
    .addColumn('schema_version', 'integer', required)
    .addColumn('item_count', 'integer', required)
    .addColumn('sha256', 'text', required)
    .addColumn('payload', 'text', required)
    .addPrimaryKeyConstraint('backup_sections_pk', ['store_id', 'backup_id', 'name'])
    .addForeignKeyConstraint('backup_sections_backup', ['store_id', 'backup_id'], 'backups', [
      'store_id',
      'id',
    ])
    .execute();

  await storeTable(db, 'subdomain_reclaims')
    .addColumn('subdomain', 'text', required)
    .addColumn('reason', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('appeal_text', 'text')
    .addColumn('appealed_at', 'text')
    .addColumn('created_at', 'text', required)
    .execute();

  await storeTable(db, 'endpoints')
    .addColumn('kind', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('masked_url', 'text', required)
    .addColumn('secret_url', 'text')
    .addColumn('events', 'text', required)
    .addColumn('enabled', 'integer', required)
    .addColumn('discord_template', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('endpoints_url', ['store_id', 'secret_url'])
    .execute();

  await storeTable(db, 'events')
    .addColumn('type', 'text', required)
    .addColumn('data', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute();

  await storeTable(db, 'notifications')
    .addColumn('event_id', 'text', required)
    .addColumn('title', 'text', required)
    .addColumn('body', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('read_at', 'text')
    .addForeignKeyConstraint('notifications_event', ['store_id', 'event_id'], 'events', ['store_id', 'id'])
    .execute();

  await storeTable(db, 'deliveries')
    .addColumn('event_id', 'text', required)
    .addColumn('endpoint_id', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('next_attempt_at', 'text', required)
    .addColumn('created_at', 'text', required)
    .addForeignKeyConstraint('deliveries_event', ['store_id', 'event_id'], 'events', ['store_id', 'id'])
    .addForeignKeyConstraint(
      'deliveries_endpoint',
      ['store_id', 'endpoint_id'],
      'endpoints',
      ['store_id', 'id'],
      // A restore may delete endpoints that have pending deliveries.
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['store_id', 'endpoint_id', 'status', 'next_attempt_at'])
    .execute();

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('store_id', 'text', (column) => column.notNull().references('stores.id'))
    .addColumn('operation', 'text', required)
    .addColumn('target_id', 'text', required)
    .addColumn('key', 'text', required)
    .addColumn('fingerprint', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('body', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('expires_at', 'text', required)
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['store_id', 'operation', 'target_id', 'key'])
    .execute();
  await db.schema
    .createIndex('idempotency_keys_expiry')
    .on('idempotency_keys')
    .columns(['store_id', 'expires_at'])
    .execute();
}

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** A table whose rows belong to a store and have an id within it. */
function storeTable(db: Queries, name: string): CreateTableBuilder<string, 'store_id' | 'id'> {
  return db.schema
    .createTable(name)
    .addColumn('store_id', 'text', (column) => column.notNull().references('stores.id'))
    .addColumn('id', 'text', required)
    .addPrimaryKeyConstraint(`${name}_pk`, ['store_id', 'id']);
}

/** A table whose rows belong to a dispute. */
function disputeTable(
  db: Queries,
  name: string,
): CreateTableBuilder<string, 'store_id' | 'dispute_id' | 'id'> {
  return db.schema
    .createTable(name)
    .addColumn('store_id', 'text', required)
    .addColumn('dispute_id', 'text', required)
    .addColumn('id', 'text', required)
    .addPrimaryKeyConstraint(`${name}_pk`, ['store_id', 'dispute_id', 'id'])
    .addForeignKeyConstraint(`${name}_dispute`, ['store_id', 'dispute_id'], 'disputes', ['store_id', 'id']);
}
