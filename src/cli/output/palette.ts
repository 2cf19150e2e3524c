const colorNames = ['bold', 'dim', 'red', 'green', 'yellow'] as const;

/** What marks a text, by name: colours in a terminal, nothing elsewhere. */
export type Palette = Readonly<Record<(typeof colorNames)[number], (text: string) => string>>;

export const withoutColors = Object.fromEntries(
  colorNames.map((name) => [name, (text: string) => text]),
) as unknown as Palette;
