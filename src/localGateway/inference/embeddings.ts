import type { JsonRecord } from "../../core/kernel/json.ts";
import { createHash } from "node:crypto";
import { inferenceError } from "../http/reply.ts";
import { embeddingModel } from "./catalog.ts";
import { countTokens } from "./tokens.ts";

const dimensions = 64;
const mostTexts = 256;

/**
 * The response to `POST /v1/embeddings`: the same vector for the same text, and similar ones for texts that share
 * words. Words with a common beginning count as the same, which is enough for a demo.
 */
export function createEmbeddings(body: JsonRecord): unknown {
  const { model, input } = body;
  if (model !== embeddingModel)
    throw inferenceError(
      400,
      `The model ${String(model)} has no embeddings.`,
      "invalid_request_error",
      "model_not_found",
      "model",
    );
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (
    texts.length === 0 ||
    texts.length > mostTexts ||
    !texts.every((text) => typeof text === "string" && text !== "")
  )
    throw inferenceError(
      400,
      "The input must be 1 to 256 texts.",
      "invalid_request_error",
      "invalid_value",
      "input",
    );
  const tokens = texts.reduce<number>((sum, text) => sum + countTokens(String(text)), 0);
  return {
    object: "list",
    model,
    data: texts.map((text, index) => ({ object: "embedding", index, embedding: embed(String(text)) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** A unit vector to which each word contributes its own direction. */
function embed(text: string): readonly number[] {
  const sums = Array.from({ length: dimensions }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const direction = createHash("sha256").update(word.slice(0, 5)).digest();
    for (let index = 0; index < dimensions; index++)
      sums[index] =
        (sums[index] ?? 0) + ((direction[index % direction.length] ?? 0) - 127.5) * (index < 32 ? 1 : -1);
  }
  const norm = Math.hypot(...sums) || 1;
  return sums.map((value) => value / norm);
}
