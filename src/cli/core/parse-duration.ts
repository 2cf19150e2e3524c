const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `90d` in milliseconds, or null if the text is not a number with one of these units (`s`, `m`, `h`, `d` or `w`). */
export function parseDuration(text: string, units: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  const length = units.includes(unit) ? unitMs[unit] : undefined;
  return length === undefined ? null : Number(count) * length;
}
