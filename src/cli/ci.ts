import { createHash } from 'node:crypto';
import { usageError } from './errors.ts';
import type { Environment } from './io.ts';

/** What stays the same when a CI job is run again, in the words of each provider. The attempt is not part of it. */
const providers: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly also: readonly string[] }>
> = {
  // GITHUB_ACTION tells the steps of a job apart.
  github: { needs: ['GITHUB_RUN_ID', 'GITHUB_JOB'], also: ['GITHUB_REPOSITORY', 'GITHUB_ACTION'] },
  // A retried job has a new CI_JOB_ID and the same name.
  gitlab: { needs: ['CI_PIPELINE_ID', 'CI_JOB_NAME'], also: ['CI_PROJECT_ID'] },
  generic: { needs: ['STORECTL_CI_RUN_ID'], also: ['STORECTL_CI_JOB'] },
};

/**
 * The idempotency key of an operation in a CI job: the same for every attempt of one run, another for every run, job
 * and store. `STORECTL_CI_RUN_ID` overrides what a provider says. Throws exit 2 outside of CI.
 */
export function ciIdempotencyKey(env: Environment, operationId: string, storeId: string): string {
  for (const [provider, { needs, also }] of Object.entries(providers).reverse()) {
    if (needs.some((name) => !env[name])) continue;
    const facts = [...needs, ...also].map((name) => env[name] ?? '');
    const digest = createHash('sha256')
      .update(JSON.stringify([operationId, storeId, ...facts]))
      .digest('hex');
    return `ci-${provider}-${digest.slice(0, 32)}`;
  }
  throw usageError(
    '--idempotency-from ci finds no CI job here',
    'it knows GitHub Actions and GitLab CI; elsewhere set STORECTL_CI_RUN_ID, and STORECTL_CI_JOB to tell jobs apart',
    { code: 'no_ci' },
  );
}
