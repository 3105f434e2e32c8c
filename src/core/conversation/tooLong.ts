import { isRecord, numberField } from "../kernel/json.ts";

/** What is left out first where a conversation outgrows its model's context. */
export type TooLongPolicy = "oldest" | "files";

/** What a request had to leave out. */
export interface Omission {
  /** Whole turns, from the oldest on. */
  readonly turns: number;
  /** Files of earlier turns. */
  readonly files: number;
  /** About. */
  readonly tokens: number;
  /** That tools gave, and the model is not known to see. */
  readonly pictures?: number;
}

export function parseTooLongPolicy(value: unknown): TooLongPolicy | undefined {
  return value === "oldest" || value === "files" ? value : undefined;
}

/** Reads what is stored; undefined for anything else. */
export function parseOmission(value: unknown): Omission | undefined {
  if (!isRecord(value)) return undefined;
  const turns = numberField(value, "turns");
  const files = numberField(value, "files");
  const tokens = numberField(value, "tokens");
  if (turns === undefined || files === undefined || tokens === undefined) return undefined;
  const pictures = numberField(value, "pictures");
  return { turns, files, tokens, ...(pictures === undefined ? {} : { pictures }) };
}
