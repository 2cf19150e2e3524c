import type { TestService } from '../helpers/service.ts';

/** What changes have left in the database of the service, read from its tables. */
export function effectsOf({ storage }: TestService) {
  return storage.read(async (db) => {
    const events = await db.selectFrom('events').select(['type', 'data']).execute();
    const of = (type: string) => events.filter((event) => event.type === type);
    return {
      /** Those that a restore took inside the service included. */
      backups: await db.selectFrom('backups').select(['id', 'label']).execute(),
      /** How many backups users asked for. */
      backupEvents: of('backup_created').length,
      /** Ids of the backups that were restored, once for each restore. */
      restores: of('backup_restored').map(({ data }): string => JSON.parse(data).backupId),
      disputes: await db.selectFrom('disputes').select(['id', 'reason', 'status']).execute(),
      decisions: await db.selectFrom('disputeDecisions').select(['disputeId', 'status']).execute(),
      posts: await db.selectFrom('posts').select(['id', 'title']).execute(),
      endpoints: await db.selectFrom('endpoints').select(['id', 'name']).execute(),
      reclaims: await db.selectFrom('subdomainReclaims').select(['id', 'appealText']).execute(),
    };
  });
}

/** The error object that the program printed with `--json`, after what it tells people. */
export function errorOf({ stderr }: { readonly stderr: string }) {
  return JSON.parse(stderr.slice(stderr.indexOf('{"error"'))).error;
}

/** A service of the contract alone cannot show a store. */
export const withoutStoreRead = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'GET' && /\/stores\/[^/]+$/.test(path) ? { status: 404 } : 'pass';
