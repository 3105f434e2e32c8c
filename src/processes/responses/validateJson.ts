import { Ajv } from "ajv";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord } from "../../core/kernel/json.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { RawProblem, SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";

/** Checks a value. `errors` contains the errors of the last one. */
interface CompiledSchema {
  validate(value: unknown): readonly ErrorObject[];
  /** Patterns that can't be checked. */
  readonly foreign: readonly string[];
}

/**
 * Compiles a schema of the draft named in `$schema`. Without one that is known, tries the current draft and then
 * draft-07, which has a different syntax for tuples. Nothing is ever loaded from a URL: a reference that points outside
 * the schema is an error. Throws the compiler's error.
 */
function compileSchema(schema: unknown): CompiledSchema {
  if (!isRecord(schema) && typeof schema !== "boolean")
    throw new Error("a schema must be an object or a Boolean");
  const foreign: string[] = [];
  const validate = compile(schema, { ...options, code: { regExp: createPatternReader(foreign) } });
  return {
    validate: (value) => (validate(value) === true ? [] : (validate.errors ?? [])),
    foreign,
  };
}

type Schema = boolean | JsonRecord;
type RegExpEngine = NonNullable<NonNullable<Options["code"]>["regExp"]>;

function compile(schema: Schema, options: Options): ValidateFunction {
  if (!isRecord(schema)) return new Ajv2020(options).compile(schema);
  const { $schema, ...rest } = schema;
  const draft = typeof $schema === "string" ? $schema : "";
  if (/draft-0[34]/.test(draft)) return new Ajv(options).compile(withoutDraft4(rest));
  if (/draft-0[67]/.test(draft)) return new Ajv(options).compile(rest);
  if (draft.includes("2019-09")) return new Ajv2019(options).compile(rest);
  try {
    return new Ajv2020(options).compile(rest);
  } catch (error) {
    try {
      return new Ajv(options).compile(rest);
    } catch {
      throw error;
    }
  }
}

/** A schema of draft-04 in the words of its successors: Boolean limits became numbers, and `id` became `$id`. */
function withoutDraft4(schema: JsonRecord): JsonRecord {
  const entries = Object.entries(schema).flatMap(([name, value]) => {
    const limit = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" }[name];
    if (limit !== undefined && typeof value === "boolean") return value ? [[name, schema[limit]]] : [];
    if (name === "id" && typeof value === "string") return [["$id", value]];
    if (Array.isArray(value))
      return [[name, value.map((item) => (isRecord(item) ? withoutDraft4(item) : item))]];
    return [[name, isRecord(value) ? withoutDraft4(value) : value]];
  });
  return Object.fromEntries(entries);
}

/** What other languages have in their patterns: flags, named groups, ends of the text, and possessive quantifiers. */
const foreignSyntax = /\(\?|\\[AZzhHGR]|\[\[:|[*+?}]\+/;

/**
 * Reads patterns of JSON Schema, which are those of JavaScript, and what servers in Python accept as well. A pattern that
 * can't be read here is added to `foreign`, and matches everything.
 */
function createPatternReader(foreign: string[]): RegExpEngine {
  const read = (source: string, flags: string): RegExp => {
    const [inline = "", names = ""] = /^\(\?([ims]+)\)/.exec(source) ?? [];
    const pattern = source
      .slice(inline.length)
      .replaceAll("(?P<", "(?<")
      .replace(/^\\A/, "^")
      .replace(/\\[Zz]$/, "$");
    for (const tried of [`${flags}${names}`, names])
      try {
        return new RegExp(pattern, tried);
      } catch (error) {
        if (tried === names && !foreignSyntax.test(source)) throw error;
      }
    foreign.push(source);
    return /(?:)/;
  };
  return Object.assign(read, { code: "new RegExp" });
}

/** According to the specification, unknown keywords and formats are annotations, not mistakes. */
const options: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  allowUnionTypes: true,
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
  const [pattern] = compiled.foreign;
  if (errors.length === 0)
    return pattern === undefined
      ? { state: "valid" }
      : { state: "partlyValid", pattern: pattern.slice(0, maxDetail) };
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
