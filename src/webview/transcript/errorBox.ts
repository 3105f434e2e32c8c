import { t } from "@vscode/l10n";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { create, icon, textButton } from "../kit/dom.ts";
import { remediesFor, remedyLabel } from "../../core/account/remedies.ts";
import { asksAgain } from "../../core/panel/pageActions.ts";
import type { RemedyBy } from "../../core/account/remedies.ts";

/** The remedies available for a failed response. */
export type ChatRemedy = RemedyBy<"anywhere" | "chat" | "message">;

export interface ErrorBoxOptions {
  /** Whether the message can be retried: only the newest one can. */
  readonly canRetry: boolean;
  onAction(remedy: ChatRemedy): void;
}

/** A failure in place of the response: what happened, the server's message, and the actions that fix it. */
export function createErrorBox(error: ErrorFacts, options: ErrorBoxOptions): HTMLElement {
  const remedies = remediesFor(error, "chat").filter((id) => options.canRetry || !asksAgain(id));
  const buttons = remedies.map((id, index) =>
    textButton(
      remedyLabel(id, error),
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

function describeTokens({ tokens, message }: ErrorFacts): string | undefined {
  const { limit, requested } = tokens ?? {};
  if (limit === undefined || message.includes(String(limit))) return undefined;
  return requested === undefined ? t("limit {0}", limit) : t("{0}, limit {1}", requested, limit);
}

/** The known facts about a failure in addition to its message. Empty if there are none. */
export function describeFacts(error: ErrorFacts): readonly HTMLElement[] {
  const { message, serverMessage } = error;
  const isQuoted = serverMessage !== undefined && message.includes(serverMessage);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t("Server message"), isQuoted ? undefined : serverMessage],
    [t("Request"), error.request],
    [t("Tokens"), describeTokens(error)],
    [t("Status"), error.statusCode === undefined ? undefined : String(error.statusCode)],
    [t("Code"), error.code],
    [t("Request ID"), error.requestId],
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [create("dt", {}, name), create("dd", { dir: "auto" }, value)],
  );
  return rows.length === 0 ? [] : [create("dl", { class: "facts" }, ...rows)];
}
