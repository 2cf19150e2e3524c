// Takes a backup, and restores its blog. The settings come from the environment.
import { type Backup, createClient, type Result } from 'storectl/client';
import { createHistory } from 'storectl/history';

const baseUrl = process.env.STORECTL_BASE_URL ?? '';
const storeId = process.env.STORECTL_STORE_ID ?? '';
const apiKey = process.env.STORECTL_API_KEY ?? '';

function explain(result: Exclude<Result<unknown>, { kind: 'applied' }>): string {
  if (result.kind !== 'rejected') return `${result.kind}: ${result.failure.message}`;
  switch (result.problem.code) {
    case 'insufficient_scope':
      return 'the key may not do this';
    case 'rate_limited':
      return 'too many requests';
    default:
      return result.problem.message;
  }
}

async function main(): Promise<void> {
  const history = createHistory({ folder: 'store-history', baseUrl, storeId });
  const client = createClient({ baseUrl, storeId, apiKey, history });
  try {
    await client.resume();
    const backup: Result<Backup> = await client.createBackup({
      label: 'nightly',
      sections: ['store', 'blog'],
    });
    if (backup.kind !== 'applied') throw new Error(explain(backup));
    const restored = await client.restoreBackup({ backupId: backup.body.id, sections: ['blog'] });
    if (restored.kind !== 'applied') throw new Error(explain(restored));
    console.log(
      `${restored.body.sections.blog?.returned ?? 0} posts are back; undo with ${restored.body.preRestoreBackupId}`,
    );
  } finally {
    await client.close();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
