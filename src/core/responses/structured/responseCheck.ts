/** One location at which a value violates its schema. */
export interface SchemaProblem {
  /** JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** A sentence without its period. */
  readonly message: string;
}

/** The result of checking a response that must be JSON. */
export type ResponseCheck =
  | { readonly state: "valid"; readonly hasSchema: boolean }
  /** `more`: number of problems omitted from the list. */
  | { readonly state: "invalid"; readonly problems: readonly SchemaProblem[]; readonly more: number }
  | { readonly state: "notJson"; readonly message: string }
  /** The schema itself is the problem: it can't be compiled, or validation doesn't finish. */
  | { readonly state: "unchecked"; readonly message: string };

/** A problem that a validator found, before it is described in words. */
export interface RawProblem {
  readonly path: string;
  /** A keyword of JSON Schema, such as `required`. */
  readonly keyword: string;
  /** What the value violates: the field name, the limit, or the allowed values. */
  readonly detail: string;
  /** The validator's own English description. */
  readonly message: string;
}

/** The result of a validation. */
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
