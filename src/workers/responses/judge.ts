import type { ErrorObject } from "ajv";
import type { RawProblem, SchemaVerdict } from "../../core/responses/structured/answerCheck.ts";
import { compileSchema } from "./compileSchema.ts";
import type { CompiledSchema } from "./compileSchema.ts";

/** Problems that are told; more than a person or a model would read. */
const maxProblems = 100;
/** UTF-16 units of a detail, such as a long list of allowed values. */
const maxDetail = 300;

/** Compiles the schema and checks the value that the JSON text stands for; without text, the schema alone. */
export function judge(schema: unknown, json: string | undefined): SchemaVerdict {
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
