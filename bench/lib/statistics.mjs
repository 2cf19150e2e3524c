export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

/** At least half of the numbers are between the two, inclusive. */
export function quartiles(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const last = sorted.length - 1;
  return [sorted[Math.floor(last / 4)], sorted[Math.ceil((last * 3) / 4)]];
}
