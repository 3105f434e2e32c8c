import { Ajv } from "ajv";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord } from "../../core/kernel/json.ts";

/** Checks a value; `errors` tells what was wrong with the last one. */
export interface CompiledSchema {
  validate(value: unknown): readonly ErrorObject[];
}

/**
 * Compiles a schema of the draft that `$schema` names; without one, the current draft is tried and then draft-07, which
 * writes tuples another way. Nothing is ever loaded from an address: a reference out of the schema is an error. Throws
 * the compiler's error.
 */
export function compileSchema(schema: unknown): CompiledSchema {
  if (!isRecord(schema) && typeof schema !== "boolean") throw new Error("a schema is an object");
  const validate = compile(schema);
  return {
    validate: (value) => (validate(value) === true ? [] : (validate.errors ?? [])),
  };
}

type Schema = boolean | Readonly<Record<string, unknown>>;

function compile(schema: Schema): ValidateFunction {
  const draft = isRecord(schema) && typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (/draft-0[67]/.test(draft)) return new Ajv(options).compile(schema);
  if (draft.includes("2019-09")) return new Ajv2019(options).compile(schema);
  if (draft !== "") return new Ajv2020(options).compile(schema);
  try {
    return new Ajv2020(options).compile(schema);
  } catch (error) {
    try {
      return new Ajv(options).compile(schema);
    } catch {
      throw error;
    }
  }
}

/** Unknown keywords and formats are notes for people, as the specification has it, not mistakes. */
const options: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  allowUnionTypes: true,
  addUsedSchema: false,
};
