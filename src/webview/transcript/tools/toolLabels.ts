import type { IconName } from "../../../core/kernel/iconNames.ts";
import { t } from "@vscode/l10n";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { LiveCall } from "../../../core/responses/tools/liveCalls.ts";
import type { ToolOutcome } from "../../../core/conversation/toolPort.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";

/** The state of a call, shown as an icon and as text. */
export type CallState = "written" | "open" | LiveCall["state"] | ToolOutcome;

const states: Readonly<Record<CallState, readonly [IconName, () => string]>> = {
  written: ["tools", () => t("writing…")],
  open: ["circle-outline", () => t("no result")],
  starting: ["circle-outline", () => t("starting…")],
  confirming: ["question", () => t("waiting for your confirmation")],
  running: ["loading", () => t("running…")],
  done: ["check", () => t("done")],
  failed: ["error", () => t("failed")],
  unknown: ["error", () => t("unknown tool")],
  refused: ["error", () => t("arguments rejected")],
  skipped: ["circle-slash", () => t("not run")],
  declined: ["circle-slash", () => t("declined")],
  stopped: ["circle-slash", () => t("stopped")],
  interrupted: ["warning", () => t("may have run")],
  taken: ["loading", () => t("running in another window…")],
};

/** The icon for the state of a call. */
export function stateIcon(state: CallState): IconName {
  return states[state][0];
}

/** The words for the state of a call. */
export function stateLabel(state: CallState): string {
  return states[state][1]();
}

/**
 * How a call ended, according to its message.
 * @param isBusy Whether this window is working on the conversation. If not, a running call belongs to another window.
 */
export function outcomeState(
  { status, finishReason }: Pick<Message, "status" | "finishReason">,
  isBusy: boolean,
): CallState {
  if (status === "streaming") return isBusy ? "running" : "taken";
  switch (finishReason) {
    case "failed":
    case "unknown":
    case "refused":
    case "skipped":
    case "declined":
    case "stopped":
    case "interrupted":
      return finishReason;
    default:
      return "done";
  }
}

/** Whether the message of a call in this state contains the result of the tool, or the reason why it didn't run. */
export function hasResult(state: CallState): boolean {
  return !["written", "open", "starting", "confirming", "running", "interrupted", "taken"].includes(state);
}

/** UTF-16 code units of a tool's own message that are shown while its card is collapsed. */
const longestReason = 200;

/** Why a call failed, in a sentence that is visible without opening the card; empty if its state is sufficient. */
export function reasonMessage(state: CallState, result: Message | undefined): string {
  switch (state) {
    case "unknown":
      return t("The model called a tool that isn't enabled in this conversation. The model was informed.");
    case "refused":
      return t("The arguments don't match the tool's schema. The model was informed and may try again.");
    case "skipped":
      return t(
        "The response contains more tool calls than can run at once, so this one wasn't run. The model was informed and can call the tool again.",
      );
    case "interrupted":
      return t(
        "VS Code exited while this tool was running. The tool may have completed, and won't be run again unless you allow it.",
      );
    case "failed": {
      const [line = ""] = (result?.text ?? "").split("\n", 1);
      return escapeInvisible(line.slice(0, longestReason));
    }
    default:
      return "";
  }
}
