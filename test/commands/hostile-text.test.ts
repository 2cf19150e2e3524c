import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createKey } from '../../src/service/index.ts';
import type { tables } from '../../src/service/storage/core/tables.ts';
import { argumentsOf, rows } from '../acceptance/every-command.ts';
import { setScene } from '../helpers/scene.ts';
import type { TestService } from '../helpers/service.ts';

/** Conceals what follows, shows it again, begins a line, and turns the order of letters around. */
const hostile = 'Ink\u001b[8m hidden \u001b[0m\u009b2J\r\n✓ All is well\u202e';

/** What may not reach a terminal, and a line that only the hostile text can begin. */
const harm = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]|^✓ All is well/mu;

/** Columns of text that somebody writes, and of JSON whose texts somebody writes. The others are the service's own. */
const written: Partial<Record<keyof typeof tables, readonly string[]>> = {
  stores: ['name'],
  apiKeys: ['label'],
  posts: ['title', 'slug', 'excerpt', 'content_md', 'cover_image_id', 'meta_title', 'meta_description'],
  disputes: ['order_id', 'buyer_email', 'provider_case_id', 'kind', 'reason', 'resolution'],
  disputeEvidence: ['kind', 'label', 'storage_key', 'text_value', 'submitted_by'],
  backups: ['label'],
  subdomainReclaims: ['subdomain', 'reason', 'appeal_text'],
  endpoints: ['name', 'masked_url', 'disabled_reason'],
  events: ['title', 'body'],
  deliveries: ['last_error'],
  operatorLog: ['run_by', 'object_id'],
};

/** Makes every text in the database hostile, whatever the service would refuse today. */
async function poison({ storage }: TestService): Promise<void> {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  await storage.write(async (db) => {
    for (const [table, columns] of Object.entries(written)) {
      for (const column of columns) {
        await sql`update ${sql.table(snakeCase(table))} set ${sql.ref(column)} = ${hostile}
          where ${sql.ref(column)} is not null`.execute(db);
      }
    }
    for (const { id, settings } of await db.selectFrom('stores').select(['id', 'settings']).execute()) {
      const texts = { description: hostile, maintenanceMessage: hostile, socials: { [hostile]: hostile } };
      const poisoned = JSON.stringify({ ...JSON.parse(settings), ...texts });
      await db.updateTable('stores').set({ settings: poisoned }).where('id', '=', id).execute();
    }
    // A post is shown as it was written, in its own lines.
    await db
      .updateTable('posts')
      .set({ contentMd: hostile.replaceAll(/\s+/g, ' ') })
      .execute();
    const risk = JSON.stringify({ [hostile]: hostile });
    await sql`update disputes set risk_signals = ${risk}`.execute(db);
    const tags = JSON.stringify([hostile]);
    await sql`update posts set tags = ${tags}`.execute(db);
    await sql`update deliveries set status = 'dead'`.execute(db);
  });
}

/** Commands that serve until they are stopped, and those that change files of this machine only. */
const skipped = ['mcp', 'service start', 'completion install', 'auth login', 'demo info', 'demo reset'];

test.each(['in a terminal', 'in a pipe', 'as JSON'])(
  'text that a tenant wrote acts on no terminal, whatever command shows it: %s',
  async (where) => {
    const { service, machine } = await setScene();
    const { id } = await createKey(service.storage, { storeId: service.storeId, preset: 'owner' });
    const made = new Map([['key', id]]);
    const options = { env: { NO_COLOR: '1' }, ...(where === 'in a terminal' && { columns: 100 }) };
    const harmed: Record<string, string> = {};
    let shown = 0;
    const run = async (args: readonly string[]) => {
      const json = where === 'as JSON' && !args.includes('--json') ? ['--json'] : [];
      const { stdout, stderr } = await machine.run([...args, ...json], options);
      const output = stdout + stderr;
      if (output.includes('\\u001b[8m')) shown += 1;
      if (harm.test(output)) harmed[args.join(' ')] = output;
      return stdout;
    };
    await machine.run(['disputes', 'show', service.example.disputes[0]?.id ?? '']);
    for (const [name, [, given, { makes } = {}]] of Object.entries(rows)) {
      if (skipped.includes(name)) continue;
      await poison(service);
      const args = argumentsOf({ service, made }, name, given);
      // What a command says before and after its question is both said with a wrong confirmation.
      if (args.includes('--confirm')) await run(args.slice(0, args.indexOf('--confirm')));
      const text = args.filter((word) => word !== '-q' && word !== '--json');
      if (makes === undefined) await run(where === 'as JSON' ? args : text);
      else made.set(makes, (await machine.run(args)).stdout.trim());
    }
    for (const list of [
      'disputes list',
      'blog list',
      'backup list',
      'reclaim list',
      'notify list',
      'history list',
    ])
      await run(list.split(' '));
    const newest = (
      await machine.run(['service', 'stores', 'list', '-q', '--database', service.databaseFile])
    ).stdout;
    for (const store of newest.split('\n').filter(Boolean))
      await run(['service', 'stores', 'delete', store, '--database', service.databaseFile]);

    expect(harmed).toEqual({});
    // Enough of it was shown for the test to mean something.
    expect(shown).toBeGreaterThan(10);
  },
);
