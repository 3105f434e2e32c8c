import type { Usage } from "../../core/conversation/completion.ts";
import { isRecord } from "../../core/kernel/json.ts";

/** Reads the counts of tokens in the shapes that servers give them; undefined where nothing is counted. */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const usage: Usage = {
    ...count("promptTokens", value["prompt_tokens"], value["input_tokens"]),
    ...count("completionTokens", value["completion_tokens"], value["output_tokens"]),
    ...count("totalTokens", value["total_tokens"]),
    ...count(
      "cachedTokens",
      field(value["prompt_tokens_details"], "cached_tokens"),
      field(value["input_tokens_details"], "cached_tokens"),
      value["cached_tokens"],
      value["prompt_cache_hit_tokens"],
    ),
    ...count(
      "reasoningTokens",
      field(value["completion_tokens_details"], "reasoning_tokens"),
      field(value["output_tokens_details"], "reasoning_tokens"),
      value["reasoning_tokens"],
    ),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** The first of the values that is a count. */
function count(name: keyof Usage, ...values: readonly unknown[]): Usage {
  const found = values.find((value) => typeof value === "number" && Number.isFinite(value) && value >= 0);
  return typeof found === "number" ? { [name]: found } : {};
}
