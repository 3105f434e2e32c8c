import { t } from "@vscode/l10n";
import { formatNumber } from "../kernel/formatTime.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { Usage } from "./completion.ts";

/** How a response ended. */
type Ending = "complete" | "tools" | "length" | "filter" | "interrupted";

/** The finish reasons of servers, in lower case with underscores, by what they mean. */
const endings: Readonly<Record<Ending, string>> = {
  complete:
    "stop end_turn eos eos_token stop_sequence stop_token complete completed done end finished normal",
  tools: "tool_calls tool_call tool_use function_call function_calls",
  length: `length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length model_length token_limit limit
    length_limit context_length context_length_exceeded context_window_exceeded model_context_window_exceeded error_limit incomplete truncated`,
  filter: `content_filter content_filtered contentfilter content_policy safety recitation blocklist language prohibited_content spii
    sensitive refusal guardrail guardrails guardrail_intervened moderation flagged blocked unsafe violation censored risk_control
    data_inspection_failed error_toxic`,
  interrupted: `network_error insufficient_system_resource abort aborted cancel cancelled canceled user_cancel interrupted error
    server_error internal_error unknown_error system_error api_error engine_error timeout timed_out time_limit deadline overloaded
    engine_overloaded unavailable disconnected connection_error failed failure preempted shutdown pause_turn load oom malformed
    unexpected_tool_call too_many_tool_calls`,
};

/** What a finish reason means; undefined if it isn't known. */
export function endingOf(finishReason: string | null | undefined): Ending | undefined {
  // Some servers name what their filter found after a colon, and others write the name of an enumeration.
  const word = (finishReason ?? "")
    .replace(/:[^]*/, "")
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])|[\s.-]+/g, "_")
    .toLowerCase()
    .replace(/^(?:finish_?reason|image)_|(?<=^malformed)_.*/, "");
  const all: readonly Ending[] = ["complete", "tools", "length", "filter", "interrupted"];
  return all.find((ending) => endings[ending].split(/\s+/).includes(word));
}

/** Why the response ended, in a few words, unless it ended normally. */
export function describeEnding(finishReason: string | undefined): string | undefined {
  switch (endingOf(finishReason)) {
    case "complete":
      return undefined;
    case "length":
      return t("truncated at the token limit");
    case "filter":
      return finishReason === "content_filter"
        ? t("stopped by the content filter")
        : t("stopped by the content filter ({0})", finishReason ?? "");
    case "tools":
      return t("waiting for tools");
    default:
      return finishReason === undefined ? undefined : t("ended with “{0}”", finishReason);
  }
}

interface EmptyResponse {
  readonly finishReason?: string | undefined;
  readonly hasReasoning: boolean;
  readonly usage?: Usage | undefined;
  /** The tokens that the model can read, if known. */
  readonly contextLength?: number | undefined;
}

/** Why a response that ended normally has no text, and what to do. */
export function emptyResponse({
  finishReason,
  hasReasoning,
  usage,
  contextLength,
}: EmptyResponse): ErrorFacts {
  const ending = endingOf(finishReason);
  if (ending === "filter")
    return {
      reason: "contentFilter",
      message: t(
        "The service's content filter stopped the response before its first word ({0}). Change the message, or choose another model.",
        finishReason ?? "",
      ),
    };
  const requested = usage?.promptTokens;
  if (contextLength !== undefined && requested !== undefined && requested >= contextLength)
    return {
      reason: "contextLength",
      tokens: { limit: contextLength, requested },
      message: t(
        "The response is empty, probably because the conversation is longer than what the model can read: {0} tokens, and the limit is {1}. Retry with the oldest turns left out, or choose a model with a larger context window.",
        formatNumber(requested),
        formatNumber(contextLength),
      ),
    };
  return { reason: "service", message: emptyMessage(finishReason ?? "", hasReasoning) };
}

function emptyMessage(finishReason: string, hasReasoning: boolean): string {
  const ending = endingOf(finishReason);
  if (ending === "length")
    return t("The response reached its token limit before any text arrived. Raise the limit, then retry.");
  if (ending === "interrupted")
    return t("The response ended with “{0}” before any text arrived. Retry.", finishReason);
  return hasReasoning
    ? t("The model reasoned, but returned no text. Retry, or choose another model.")
    : t(
        "The response is empty: the model returned no text. Retry, rephrase the message, or choose another model.",
      );
}
