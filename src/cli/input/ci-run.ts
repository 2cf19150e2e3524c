import { usageError } from '../core/errors.ts';
import type { Environment } from '../core/io.ts';

/** Distinguishes several commands of one job, for example in a matrix. */
const job = 'STORECTL_CI_JOB';

/** Variables of each provider that stay the same when a CI job is run again. The attempt number is not one of them. */
const providers: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly also: readonly string[] }>
> = {
  // GITHUB_ACTION distinguishes the steps of a job.
  github: { needs: ['GITHUB_RUN_ID', 'GITHUB_JOB'], also: ['GITHUB_REPOSITORY', 'GITHUB_ACTION', job] },
  // A retried job has the same name but a new CI_JOB_ID.
  gitlab: { needs: ['CI_PIPELINE_ID', 'CI_JOB_NAME'], also: ['CI_PROJECT_ID', job] },
  generic: { needs: ['STORECTL_CI_RUN_ID'], also: [job] },
};

/**
 * The idempotency key of an operation in a CI job: the same for every attempt of a run, different for every run, job and
 * store. `STORECTL_CI_RUN_ID` overrides the provider's run id. Throws exit 2 outside of CI.
 */
export async function ciIdempotencyKey(
  env: Environment,
  operationId: string,
  storeId: string,
): Promise<string> {
  for (const [provider, { needs, also }] of Object.entries(providers).reverse()) {
    if (needs.some((name) => !env[name])) continue;
    const facts = [...needs, ...also].map((name) => env[name] ?? '');
    const { sha256 } = await import('../../base/sha256.ts');
    return `ci-${provider}-${sha256(JSON.stringify([operationId, storeId, ...facts])).slice(0, 32)}`;
  }
  throw usageError(
    '--idempotency-from ci works only in a CI job',
    'GitHub Actions and GitLab CI are detected; elsewhere set STORECTL_CI_RUN_ID, and STORECTL_CI_JOB if there are several jobs',
    { code: 'no_ci' },
  );
}
