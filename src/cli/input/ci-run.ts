import { usageError } from '../core/errors.ts';
import type { Environment } from '../core/io.ts';

/** Tells the backups of one job apart, such as those of a matrix. */
const job = 'STORECTL_CI_JOB';

/** What stays the same when a CI job is run again, in the words of each provider. The attempt is not part of it. */
const providers: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly also: readonly string[] }>
> = {
  // GITHUB_ACTION tells the steps of a job apart.
  github: { needs: ['GITHUB_RUN_ID', 'GITHUB_JOB'], also: ['GITHUB_REPOSITORY', 'GITHUB_ACTION', job] },
  // A retried job has a new CI_JOB_ID and the same name.
  gitlab: { needs: ['CI_PIPELINE_ID', 'CI_JOB_NAME'], also: ['CI_PROJECT_ID', job] },
  generic: { needs: ['STORECTL_CI_RUN_ID'], also: [job] },
};

/**
 * A label with `{date}` (UTC) and `{run}` filled in. GitLab says when a pipeline began, so its date stays the same when
 * a job is run again on another day; elsewhere STORECTL_CI_DATE can. Throws exit 2 for `{run}` outside of CI.
 */
export function fillLabel(label: string, env: Environment, now: number): string {
  return label.replace(/\{(date|run)\}/g, (_, name: string) => {
    if (name === 'date') return ciDate(env) ?? new Date(now).toISOString().slice(0, 10);
    const run = env.STORECTL_CI_RUN_ID || env.GITHUB_RUN_ID || env.CI_PIPELINE_ID;
    if (run) return run;
    throw usageError(
      '{run} in the label is the number of a CI run, and there is none here',
      'leave it out, or set STORECTL_CI_RUN_ID',
      { code: 'no_ci' },
    );
  });
}

/** The day on which the CI run began, where the environment says so: it stays the same when a job is run again. */
export function ciDate(env: Environment): string | null {
  const began = env.STORECTL_CI_DATE || env.CI_PIPELINE_CREATED_AT;
  return began && /^\d{4}-\d\d-\d\d/.test(began) ? began.slice(0, 10) : null;
}

/**
 * The idempotency key of an operation in a CI job: the same for every attempt of one run, another for every run, job
 * and store. `STORECTL_CI_RUN_ID` overrides what a provider says. Throws exit 2 outside of CI.
 */
export async function ciIdempotencyKey(
  env: Environment,
  operationId: string,
  storeId: string,
): Promise<string> {
  for (const [provider, { needs, also }] of Object.entries(providers).reverse()) {
    if (needs.some((name) => !env[name])) continue;
    const facts = [...needs, ...also].map((name) => env[name] ?? '');
    const { createHash } = await import('node:crypto');
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
