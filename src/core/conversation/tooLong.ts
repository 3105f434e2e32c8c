import { unsupportedInputs } from "../kernel/errors.ts";
import type { UnsupportedInput } from "../kernel/errors.ts";
import { isRecord, numberField, stringsIn } from "../kernel/json.ts";
import { isAdaptation } from "./adaptations.ts";
import type { Adaptation } from "./adaptations.ts";

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
  /** Texts, such as a tool result, that were cut because they don't fit even alone. */
  readonly cut?: number;
  /** What the model is known not to read. */
  readonly inputs?: readonly UnsupportedInput[];
  /** What the model rejected before, and can be tried again. */
  readonly adaptations?: readonly Adaptation[];
  /** The tools, because the model is known not to support any. */
  readonly tools?: true;
}

/** The maximum number of adaptations that a message keeps. */
const maxAdaptations = 20;

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
  const cut = numberField(value, "cut");
  const inputs = unsupportedInputs.filter((input) => stringsIn(value["inputs"]).includes(input));
  const adaptations = stringsIn(value["adaptations"]).filter(isAdaptation).slice(0, maxAdaptations);
  return {
    turns,
    files,
    tokens,
    ...(cut === undefined ? {} : { cut }),
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(adaptations.length === 0 ? {} : { adaptations }),
    ...(value["tools"] === true ? { tools: true } : {}),
  };
}
