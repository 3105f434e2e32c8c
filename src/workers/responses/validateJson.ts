import { Ajv } from "ajv";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord } from "../../core/kernel/json.ts";
import type { RawProblem, SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";

/** Checks a value. `errors` contains the errors of the last one. */
interface CompiledSchema {
  validate(value: unknown): readonly ErrorObject[];
}

/**
 * Compiles a schema of the draft that `$schema` names; without one, the current draft is tried and then draft-07, which
 * writes tuples another way. Nothing is ever loaded from an address: a reference out of the schema is an error. Throws
 * the compiler's error.
 */
function compileSchema(schema: unknown): CompiledSchema {
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
  // 0.28 is a multiple of 0.01, whatever its binary digits say.
  multipleOfPrecision: 9,
};

/** Maximum number of reported problems. More than this isn't read by a person or a model. */
const maxProblems = 100;
/** UTF-16 units of a detail, such as a long list of allowed values. */
const maxDetail = 300;

/** Compiles the schema and checks the value that the JSON text stands for; without text, the schema alone. */
export function validateJson(schema: unknown, json: string | undefined): SchemaVerdict {
  let compiled: CompiledSchema;
  try {
    compiled = compileSchema(schema);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { state: "badSchema", message: message.slice(0, maxDetail) };
  }
  if (json === undefined) return { state: "valid" };
  const value: unknown = JSON.parse(json);
  const errors = compiled.validate(value);
  if (errors.length === 0) return { state: "valid" };
  const problems = errors.slice(0, maxProblems).map(rawProblem);
  return { state: "invalid", problems, more: errors.length - problems.length };
}

function rawProblem({ instancePath, keyword, params, message }: ErrorObject): RawProblem {
  return {
    path: instancePath,
    keyword,
    detail: describeParams(keyword, params).slice(0, maxDetail),
    message: (message ?? keyword).slice(0, maxDetail),
  };
}

/** The one thing of an error's parameters that its sentence names. */
function describeParams(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const value =
    params[detailNames[keyword] ?? "limit"] ?? params["missingProperty"] ?? params["unevaluatedProperty"];
  if (keyword === "enum" && Array.isArray(value)) {
    return value.map((item) => JSON.stringify(item)).join(", ");
  }
  if (keyword === "type" && Array.isArray(value)) return value.join(", ");
  if (keyword === "const") return JSON.stringify(value) ?? "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

const detailNames: Readonly<Record<string, string>> = {
  type: "type",
  enum: "allowedValues",
  const: "allowedValue",
  required: "missingProperty",
  additionalProperties: "additionalProperty",
  unevaluatedProperties: "unevaluatedProperty",
  multipleOf: "multipleOf",
  pattern: "pattern",
};
