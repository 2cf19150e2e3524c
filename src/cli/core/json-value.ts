/** Levels of nested objects and lists that are accepted. A few times as many would overflow the stack. */
export const maxNestingDepth = 500;

/** Whether objects and lists are nested deeper than {@link maxNestingDepth}. A loop, because recursion could overflow. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNestingDepth) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
