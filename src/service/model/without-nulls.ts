type Nullable<Fields> = {
  [Name in keyof Fields]: null extends Fields[Name] ? Name : never;
}[keyof Fields];

type WithoutNulls<Fields> = Omit<Fields, Nullable<Fields>> & {
  [Name in Nullable<Fields>]?: NonNullable<Fields[Name]>;
};

/** The fields that have a value. Answers leave out what was never set. */
export function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(set) as unknown as WithoutNulls<Fields>;
}
