/** What remains of these fields: one that may be undefined may be missing. */
type FilledFields<T extends object> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The fields that have a value. A field that isn't known is missing rather than undefined, also when it is stored. */
export function filledFields<const T extends object>(fields: T): FilledFields<T>;
export function filledFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
