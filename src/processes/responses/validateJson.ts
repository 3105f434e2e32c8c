import { Ajv } from "ajv";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { RawProblem, SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";

/** Checks a value. `errors` contains the errors of the last one. */
interface CompiledSchema {
  validate(value: unknown): readonly ErrorObject[];
}

/**
 * Compiles a schema of the draft named in `$schema`. Without one, tries the current draft and then draft-07, which has
 * a different syntax for tuples. Nothing is ever loaded from a URL: a reference that points outside the schema is an
 * error. Throws the compiler's error.
 */
function compileSchema(schema: unknown): CompiledSchema {
  if (!isRecord(schema) && typeof schema !== "boolean")
    throw new Error("a schema must be an object or a Boolean");
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

/** According to the specification, unknown keywords and formats are annotations, not mistakes. */
const options: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  allowUnionTypes: true,
  addUsedSchema: false,
  // Treats 0.28 as a multiple of 0.01 despite floating-point rounding.
  multipleOfPrecision: 9,
};

/** Maximum number of reported problems. Neither a person nor a model would read more. */
const maxProblems = 100;
/** Maximum length of a detail in UTF-16 code units, such as a long list of allowed values. */
const maxDetail = 300;

/** Compiles the schema and checks the value in the JSON text; without text, only the schema. */
export function validateJson(schema: unknown, json: string | undefined): SchemaVerdict {
  let compiled: CompiledSchema;
  try {
    compiled = compileSchema(schema);
  } catch (error) {
    const message = messageOf(error);
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

/** The one error parameter that the message for this keyword mentions. */
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
