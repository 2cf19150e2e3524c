import type * as z from 'zod/mini';
import { describeIssueWithoutValue } from '../../contract/issue-messages.ts';

const MAX_LINES = 20;

/**
 * Where a response differs from the contract, a line each: `settings.cashbackBp must be a number (got text)`. The lines are warnings: a
 * response is never lost because of them.
 */
export function findDrift(body: unknown, schema: z.ZodMiniType | null | undefined): string[] {
  if (!schema) return [];
  const issues = schema.safeParse(body, { error: describeIssueWithoutValue }).error?.issues ?? [];
  const lines = issues.slice(0, MAX_LINES).map(({ path, message }) => {
    return `${path.join('.') || 'body'} ${message}`;
  });
  if (issues.length > MAX_LINES) lines.push(`and ${issues.length - MAX_LINES} more`);
  return lines;
}
