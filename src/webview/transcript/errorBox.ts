import { t } from "@vscode/l10n";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { asksAgain, errorActions } from "../../core/panel/errorActions.ts";
import type { ErrorAction } from "../../core/panel/errorActions.ts";
import { sanitizeLabel } from "../../core/kernel/sanitizeLabel.ts";
import { create, icon, textButton } from "../kit/dom.ts";
import { actionLabels } from "../kit/labels.ts";

export interface ErrorBoxOptions {
  /** Whether the message can be tried again: only the newest one. */
  readonly canRetry: boolean;
  onAction(id: ErrorAction): void;
}

/** A failure in the place where the answer would be: what happened, the server's words, the actions that mend it. */
export function createErrorBox(error: ErrorFacts, options: ErrorBoxOptions): HTMLElement {
  const actions = errorActions(error).filter((id) => options.canRetry || !asksAgain(id));
  const buttons = actions.map((id, index) =>
    textButton(
      labelOf(id, error),
      () => options.onAction(id),
      index === 0 && options.canRetry ? "primary" : "secondary",
    ),
  );
  return create(
    "div",
    { class: "error-box", role: "group", "aria-label": t("Error") },
    create("p", { class: "error-message", dir: "auto" }, icon("error"), create("span", {}, error.message)),
    ...describeFacts(error),
    create("div", { class: "buttons" }, ...buttons),
  );
}

function labelOf(action: ErrorAction, { link, parameter, scheme }: ErrorFacts): string {
  switch (action) {
    case "askOtherModel":
      return t("Other Model…");
    case "inspectRequest":
      return t("Inspect Request");
    case "retryShorter":
      return t("Retry Without the Oldest Turns");
    case "retryWithoutParameter":
      return t("Retry Without “{0}”", sanitizeLabel(parameter ?? "", 40));
    case "addCredit":
      return t("Open {0}", sanitizeLabel(URL.parse(link ?? "")?.host ?? "", 60));
    case "switchScheme":
      return t("Use {0}://", scheme ?? "https");
    default:
      return actionLabels[action];
  }
}

function describeTokens({ tokens, message }: ErrorFacts): string | undefined {
  const { limit, requested } = tokens ?? {};
  if (limit === undefined || message.includes(String(limit))) return undefined;
  return requested === undefined ? t("limit {0}", limit) : t("{0}, limit {1}", requested, limit);
}

/** What is known of a failure beside its sentence; nothing where nothing is. */
export function describeFacts(error: ErrorFacts): readonly HTMLElement[] {
  const { message, serverMessage } = error;
  const isQuoted = serverMessage !== undefined && message.includes(serverMessage);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t("Server message"), isQuoted ? undefined : serverMessage],
    [t("Request"), error.request],
    [t("Tokens"), describeTokens(error)],
    [t("Status"), error.statusCode === undefined ? undefined : String(error.statusCode)],
    [t("Code"), error.code],
    [t("Request id"), error.requestId],
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [create("dt", {}, name), create("dd", { dir: "auto" }, value)],
  );
  return rows.length === 0 ? [] : [create("dl", { class: "facts" }, ...rows)];
}
