import { t } from "@vscode/l10n";
import type { ToolAnswer } from "../../../core/responses/tools/liveCalls.ts";
import { create, textButton } from "../../kit/dom.ts";

/**
 * Whether the call may run: once, in this conversation, in this workspace, or not. One that may have run already is allowed for
 * this time only.
 */
export function createToolQuestion(
  name: string,
  mayHaveRun: boolean,
  onAnswer: (answer: ToolAnswer) => void,
): HTMLElement {
  const answer = (label: string, given: ToolAnswer, kind: "primary" | "secondary"): HTMLElement =>
    textButton(label, () => onAnswer(given), kind);
  const words = mayHaveRun
    ? t("{0} may have run with these arguments already. Run it again?", name)
    : t("May {0} run with these arguments?", name);
  const buttons = mayHaveRun
    ? [answer(t("Run Again"), "once", "secondary"), answer(t("Don't Run Again"), "decline", "primary")]
    : [
        answer(t("Allow Once"), "once", "primary"),
        answer(t("Allow for This Conversation"), "conversation", "secondary"),
        answer(t("Always Allow in This Workspace"), "always", "secondary"),
        answer(t("Decline"), "decline", "secondary"),
      ];
  return create(
    "div",
    { class: "tool-question", role: "group", "aria-label": words },
    create("p", {}, words),
    create("div", { class: "buttons" }, ...buttons),
  );
}
