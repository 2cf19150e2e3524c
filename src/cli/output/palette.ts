const colorNames = ['bold', 'dim', 'red', 'green', 'yellow'] as const;

/** Functions that mark a text: with colors in a terminal, unchanged elsewhere. */
export type Palette = Readonly<Record<(typeof colorNames)[number], (text: string) => string>>;

export const withoutColors = Object.fromEntries(
  colorNames.map((name) => [name, (text: string) => text]),
) as unknown as Palette;
