import type * as z from 'zod';

const MAX_LINES = 20;

/**
 * Where a response differs from the contract, one line each (`settings.cashbackBp: expected number, received string`).
 * The service decides what it sends: drift is for a warning, never a reason to lose an answer.
 */
export function findDrift(body: unknown, schema: z.ZodType | null | undefined): string[] {
  if (!schema) return [];
  const issues = issuesOf(body, schema);
  const lines = issues.slice(0, MAX_LINES).map(({ path, message }) => {
    const place = path.length === 0 ? 'body' : path.join('.');
    return `${place}: ${message.replace(/^Invalid input: /, '')}`;
  });
  if (issues.length > MAX_LINES) lines.push(`and ${issues.length - MAX_LINES} more`);
  return lines;
}

function issuesOf(body: unknown, schema: z.ZodType): readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[] {
  try {
    return schema.safeParse(body).error?.issues ?? [];
  } catch (error) {
    // The schema of any JSON value recurses: a document can be nested deeper than the stack.
    if (error instanceof RangeError) return [{ path: [], message: 'nested too deeply to be checked' }];
    throw error;
  }
}
