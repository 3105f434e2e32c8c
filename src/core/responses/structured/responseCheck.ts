/** One place at which a value breaks its schema. */
export interface SchemaProblem {
  /** JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** What became of a response that had to be JSON. */
export type ResponseCheck =
  | { readonly state: "valid"; readonly hasSchema: boolean }
  /** `more`: how many problems are left out of the list. */
  | { readonly state: "invalid"; readonly problems: readonly SchemaProblem[]; readonly more: number }
  | { readonly state: "notJson"; readonly message: string }
  /** The schema itself is the trouble: it can't be compiled, or its checks don't come to an end. */
  | { readonly state: "unchecked"; readonly message: string };

/** What a validator found wrong, before it is put into words. */
export interface RawProblem {
  readonly path: string;
  /** Of JSON Schema, such as `required`. */
  readonly keyword: string;
  /** What the keyword was broken by: the member's name, the bound, the allowed values. */
  readonly detail: string;
  /** The validator's own English words. */
  readonly message: string;
}

/** What a validator says. */
export type SchemaVerdict =
  | { readonly state: "valid" }
  | { readonly state: "invalid"; readonly problems: readonly RawProblem[]; readonly more: number }
  | { readonly state: "badSchema"; readonly message: string }
  | { readonly state: "tooLong" };

/** Port: a JSON Schema validator. Never rejects. */
export interface SchemaValidator {
  /** `json` is the text of the value; undefined checks the schema alone. */
  validate(schema: unknown, json: string | undefined): Promise<SchemaVerdict>;
}
