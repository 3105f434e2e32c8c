import { t } from "@vscode/l10n";

/** Where a call stands, for the eye and in words. */
export type CallState =
  "written" | "open" | "confirming" | "running" | "done" | "failed" | "declined" | "stopped";

const icons: Readonly<Record<CallState, string>> = {
  written: "tools",
  open: "circle-outline",
  confirming: "question",
  running: "loading",
  done: "check",
  failed: "error",
  declined: "circle-slash",
  stopped: "debug-stop",
};

export function stateIcon(state: CallState): string {
  return icons[state];
}

export function stateWords(state: CallState): string {
  switch (state) {
    case "written":
      return t("being written…");
    case "open":
      return t("not run");
    case "confirming":
      return t("waits for your confirmation");
    case "running":
      return t("running…");
    case "done":
      return t("done");
    case "failed":
      return t("failed");
    case "declined":
      return t("declined");
    case "stopped":
      return t("stopped");
  }
}

/** How a call ended, as its message keeps it. */
export function outcomeState(finishReason: string | undefined): CallState {
  switch (finishReason) {
    case "failed":
    case "declined":
    case "stopped":
      return finishReason;
    default:
      return "done";
  }
}
