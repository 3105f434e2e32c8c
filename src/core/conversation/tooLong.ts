import { isRecord, numberField } from "../kernel/json.ts";

/** What is left out first when a conversation outgrows its model's context window. */
export type TooLongPolicy = "oldest" | "files";

/** What a request had to leave out. */
export interface Omission {
  /** Whole turns, oldest first. */
  readonly turns: number;
  /** Files of earlier turns. */
  readonly files: number;
  /** Approximate number of tokens. */
  readonly tokens: number;
  /** Images from tools that were left out because the model isn't known to support images. */
  readonly images?: number;
  /** Fields of the body that the model has rejected before. */
  readonly parameters?: readonly string[];
  /** The tools, because the model is known not to support any. */
  readonly tools?: true;
}

/** The maximum number of parameters that a message keeps, and the maximum UTF-16 units of each name. */
const maxParameters = 20;
const maxNameLength = 80;

/** The policy in stored or configured data; undefined for anything else. */
export function parseTooLongPolicy(value: unknown): TooLongPolicy | undefined {
  return value === "oldest" || value === "files" ? value : undefined;
}

/** Parses a stored omission; undefined for anything else. */
export function parseOmission(value: unknown): Omission | undefined {
  if (!isRecord(value)) return undefined;
  const turns = numberField(value, "turns");
  const files = numberField(value, "files");
  const tokens = numberField(value, "tokens");
  if (turns === undefined || files === undefined || tokens === undefined) return undefined;
  const images = numberField(value, "images");
  const parameters = Array.isArray(value["parameters"])
    ? value["parameters"]
        .filter((name: unknown) => typeof name === "string")
        .slice(0, maxParameters)
        .map((name) => name.slice(0, maxNameLength))
    : [];
  return {
    turns,
    files,
    tokens,
    ...(images === undefined ? {} : { images }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(value["tools"] === true ? { tools: true } : {}),
  };
}
