import { t } from "@vscode/l10n";
import type { MessageStatus, Timing } from "../../conversation/conversation.ts";
import type { Usage } from "../../conversation/completion.ts";
import { formatMs, formatNumber } from "../../kernel/formatTime.ts";
import { describeSpeed } from "../usage/responseFacts.ts";

/** The progress of one of several responses. */
interface ResponseProgress {
  readonly status: MessageStatus;
  /** Milliseconds since it was requested. */
  readonly sinceMs: number;
  /** Milliseconds until its first text or reasoning; absent until then. */
  readonly firstMs?: number;
  /** UTF-16 units of text and reasoning. */
  readonly length: number;
  /** Available once the response has ended. */
  readonly timing?: Timing;
  readonly usage?: Usage;
}

/** A rule of thumb until real counts are known: UTF-16 units per token. */
const unitsPerToken = 4;

const oneDigit = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const noDigit = { maximumFractionDigits: 0 };

/** The timing of a response in one line: what was measured and, while it streams, the speed as far as it is known. */
export function describeProgress(progress: ResponseProgress): string {
  if (progress.status !== "streaming") return describeEnd(progress);
  const { firstMs, sinceMs, length } = progress;
  if (firstMs === undefined) return t("Waiting for {0}", seconds(sinceMs));
  const rate = perSecond(length / unitsPerToken, sinceMs - firstMs);
  const estimate = rate === undefined ? [] : [t("about {0} tokens/s", rate)];
  return [...describeSpeed({ timing: { firstDeltaMs: firstMs } }, undefined), ...estimate].join(" · ");
}

function describeEnd({ status, timing, usage }: ResponseProgress): string {
  const parts = [
    status === "failed" ? t("Failed") : status === "stopped" ? t("Stopped") : undefined,
    timing?.totalMs === undefined ? undefined : t("{0} total", formatMs(timing.totalMs)),
    ...describeSpeed(
      { ...(timing === undefined ? {} : { timing }), ...(usage === undefined ? {} : { usage }) },
      undefined,
    ),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function seconds(ms: number): string {
  return t("{0} s", formatNumber(Math.max(0, ms) / 1_000, undefined, oneDigit));
}

/** Undefined for times that are too short to be meaningful. */
function perSecond(tokens: number, ms: number): string | undefined {
  if (tokens <= 0 || ms < 100) return undefined;
  const rate = (tokens * 1_000) / ms;
  return formatNumber(rate, undefined, rate < 10 ? oneDigit : noDigit);
}
