import { t } from "@vscode/l10n";
import type { Usage } from "../../core/completion.ts";

const finishReasons: Readonly<Record<string, string>> = {
  length: t("cut at the token limit"),
  content_filter: t("stopped by the content filter"),
  tool_calls: t("waits for tools"),
  function_call: t("waits for tools"),
};

/** What an answer cost and why it ended, where that isn't the normal end; empty when nothing is known. */
export function describeUsage(usage: Usage | undefined, finishReason: string | undefined): string {
  const parts = [
    count(usage?.promptTokens, "in"),
    count(usage?.cachedTokens, "cached"),
    count(usage?.completionTokens, "out"),
    count(usage?.reasoningTokens, "reasoning"),
  ].filter((part) => part !== "");
  const tokens = parts.length === 0 ? [] : [t("Tokens: {0}", parts.join(", "))];
  return [...tokens, describeFinish(finishReason)].filter((part) => part !== "").join(" · ");
}

function count(tokens: number | undefined, what: string): string {
  if (tokens === undefined || (tokens === 0 && what !== "in" && what !== "out")) return "";
  return `${tokens.toLocaleString()} ${what}`;
}

function describeFinish(reason: string | undefined): string {
  if (reason === undefined || reason === "stop") return "";
  return finishReasons[reason] ?? t("ended with “{0}”", reason);
}
