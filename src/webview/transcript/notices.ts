import { t } from "@vscode/l10n";
import { remediesFor, remedyLabel } from "../../core/account/remedies.ts";
import type { RemedyBy } from "../../core/account/remedies.ts";
import type { RetryView } from "../../core/conversation/sessionEvent.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { asksAgain } from "../../core/panel/pageActions.ts";
import type { Notice } from "../../core/panel/protocol.ts";
import { create, factList, icon, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** Why nothing can be sent yet, with the actions that fix it. */
export function createSetupNotice(notice: Notice, host: Host): HTMLElement {
  const buttons = notice.actions.map((id, index) =>
    textButton(
      remedyLabel(id),
      () => host.post({ type: "action", id }),
      index === 0 ? "primary" : "secondary",
    ),
  );
  return create(
    "div",
    { class: "notice", role: "group", "aria-label": t("Setup") },
    create("p", { dir: "auto" }, icon("info"), create("span", {}, notice.message)),
    create("div", { class: "buttons" }, ...buttons),
  );
}

/** The reason why nothing can be stored, which is shown as long as it applies. */
export function createTroubleNotice(sentence: string): HTMLElement {
  return create(
    "div",
    { class: "notice", role: "alert" },
    create("p", { dir: "auto" }, icon("warning"), create("span", {}, sentence)),
  );
}

/** A countdown to the next attempt. */
export class RetryCountdown {
  readonly element = create("div", { class: "notice retry", role: "group", "aria-label": t("Retry") });
  readonly #countdown = create("span");
  readonly #message = create("span", { dir: "auto" });
  readonly #facts = create("div");
  readonly #otherModel: HTMLElement;
  #retry: RetryView | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host) {
    this.#otherModel = textButton(t("Other Model…"), () => {
      const messageId = this.#retry?.messageId;
      if (messageId !== undefined) host.post({ type: "messageAction", action: "askOtherModel", messageId });
    });
    this.element.append(
      create("p", {}, icon("history"), create("span", {}, this.#message, " ", this.#countdown)),
      this.#facts,
      create(
        "div",
        { class: "buttons" },
        textButton(t("Retry Now"), () => host.post({ type: "retryNow" }), "primary"),
        textButton(t("Cancel"), () => {
          // Others that are compared with it continue.
          const messageId = this.#retry?.messageId;
          if (messageId !== undefined) host.post({ type: "stop", messageId });
        }),
        this.#otherModel,
      ),
    );
    this.show(undefined);
  }

  show(retry: RetryView | undefined): void {
    clearInterval(this.#timer);
    this.#retry = retry;
    this.element.hidden = retry === undefined;
    if (retry === undefined) return;
    this.#message.textContent = retry.error.message;
    this.#facts.replaceChildren(...describeFacts(retry.error));
    this.#otherModel.hidden = retry.isCompared === true;
    this.#count();
    this.#timer = setInterval(() => this.#count(), 1000);
  }

  #count(): void {
    if (this.#retry === undefined) return;
    const { attempt, maxAttempts, dueAt } = this.#retry;
    const seconds = Math.max(0, Math.ceil((dueAt - Date.now()) / 1000));
    this.#countdown.textContent =
      seconds === 0
        ? t("Retrying now (attempt {0} of {1}).", String(attempt), String(maxAttempts))
        : t("Retrying in {2} s (attempt {0} of {1}).", String(attempt), String(maxAttempts), String(seconds));
  }
}

/** The remedies available for a failed response. */
export type ChatRemedy = RemedyBy<"anywhere" | "chat" | "message">;

interface ErrorBoxOptions {
  /** Whether the message can be retried: only the newest one can. */
  readonly canRetry: boolean;
  /** Other actions for this response, which follow the first one. */
  readonly more: readonly HTMLElement[];
  onAction(remedy: ChatRemedy): void;
}

/** A failure in place of the response: what happened, the server's message, and the actions that fix it. */
export function createErrorBox(error: ErrorFacts, options: ErrorBoxOptions): HTMLElement {
  const remedies = remediesFor(error, "chat").filter((id) => options.canRetry || !asksAgain(id));
  const [first, ...others] = remedies.map((id, index) =>
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
    create("div", { class: "buttons" }, ...(first === undefined ? [] : [first]), ...options.more, ...others),
  );
}

function describeTokens({ tokens, message }: ErrorFacts): string | undefined {
  const { limit, requested } = tokens ?? {};
  if (limit === undefined || message.includes(String(limit))) return undefined;
  return requested === undefined
    ? t("limit {0}", formatNumber(limit))
    : t("{0}, limit {1}", formatNumber(requested), formatNumber(limit));
}

/** The known facts about a failure in addition to its message. Empty if there are none. */
function describeFacts(error: ErrorFacts): readonly HTMLElement[] {
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
  const known = facts.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
  return known.length === 0 ? [] : [factList(known)];
}
