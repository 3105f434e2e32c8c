import * as vscode from "vscode";
import { maxTextBytes } from "../../core/compose/context/pastedText.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { Throttle } from "../../core/kernel/throttle.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { Refusal } from "../../core/kernel/pageMessages.ts";
import { isDisplayed, isDisplayedAddress } from "../../core/panel/pages/displayedText.ts";
import { holdReasons } from "../../core/compose/send/sendQuestion.ts";
import type { SendQuestion } from "../../core/compose/send/sendQuestion.ts";
import { createPause } from "../shell/pause.ts";
import { confirmRisk, setStatusBarMessage, showWarningMessage } from "../shell/window.ts";

/** Milliseconds between two notices that something was rejected. */
const noticeRestMs = 10_000;

/** Length of the text shown in a dialog. Longer texts can't be judged. */
const longestShown = 3_000;

interface PageBoundaryContext {
  readonly log: Log;
  /** The messages that the page shows. */
  messages(): readonly Message[];
}

/**
 * The boundary between one page and the machine. A page shows content from models, tools and imported files, so it is
 * treated as compromised: it receives only what it displays, and anything else requires a VS Code dialog, which no page
 * can confirm.
 */
export class PageBoundary {
  readonly #context: PageBoundaryContext;
  readonly #notices = new Throttle(noticeRestMs, () => performance.now());
  #isAsking = false;

  constructor(context: PageBoundaryContext) {
    this.#context = context;
  }

  /** Logs that a message from the page was ignored, and notifies the user if it matters. */
  noteRefusal(refusal: Refusal): void {
    const { log } = this.#context;
    if (refusal === "unknown") log.warn("The chat page sent an unknown message.");
    if (refusal === "tooMany" && this.#notices.tryAcquire("tooMany"))
      log.warn("The chat page sent too many messages at once; some were ignored.");
    if (refusal !== "tooLarge") return;
    log.warn("The chat page sent a message that is too large; it was ignored.");
    this.#notify(
      vscode.l10n.t(
        "This is too large for the chat and was ignored. Use less text, or fewer or smaller files.",
      ),
    );
  }

  /** Copies text from the conversation to the clipboard. Any other text requires the user's consent. */
  async copy(text: string): Promise<void> {
    const question = vscode.l10n.t("Copy text that isn't part of this conversation?");
    if (!(await this.#mayUse(text, question, vscode.l10n.t("Copy"), vscode.l10n.t("Don't Copy")))) return;
    await vscode.env.clipboard.writeText(text);
  }

  /** Whether the code may be inserted into an editor: it must be in the conversation, or the user agrees. */
  async mayInsert(code: string): Promise<boolean> {
    const question = vscode.l10n.t("Insert text that isn't part of this conversation?");
    return this.#mayUse(code, question, vscode.l10n.t("Insert"), vscode.l10n.t("Don't Insert"));
  }

  /** Whether the link may be opened. VS Code itself asks about the site. */
  async mayOpen(href: string): Promise<boolean> {
    if (await isDisplayedAddress(href, this.#context.messages(), createPause())) return true;
    const question = vscode.l10n.t("Open a link that isn't part of this conversation?");
    return this.#confirm(question, href, vscode.l10n.t("Open Link"), vscode.l10n.t("Don't Open"));
  }

  /** Whether the image with this URL is in the conversation. */
  showsImage(url: string): Promise<boolean> {
    return isDisplayedAddress(url, this.#context.messages(), createPause());
  }

  /**
   * Whether a held message should be sent as it is. The page's button alone can't decide that if it has lasting effects
   * or costs money.
   */
  async maySend({ kind, message, facts }: SendQuestion): Promise<boolean> {
    if (!holdReasons[kind].isConfirmedInDialog) return true;
    const question = kind === "secrets" ? vscode.l10n.t("Send possible secrets to the model?") : message;
    const detail = facts.map(({ label, value }) => `${label}: ${value}`).join("\n");
    return this.#confirm(question, detail, vscode.l10n.t("Send Anyway"), vscode.l10n.t("Don't Send"));
  }

  /** Whether the user's presets may be changed. The page's form alone can't decide how later chats start. */
  mayChangePresets(question: string, accept: string, detail = ""): Promise<boolean> {
    return this.#confirm(question, detail.slice(0, longestShown), accept, vscode.l10n.t("Don't Change"));
  }

  async #mayUse(text: string, question: string, accept: string, decline: string): Promise<boolean> {
    if (await isDisplayed(text, this.#context.messages(), createPause())) return true;
    if (text.length > maxTextBytes) return false;
    const isWhole = text.length <= longestShown;
    const more = vscode.l10n.t("… and {0} more characters", formatNumber(text.length - longestShown));
    return this.#confirm(
      question,
      isWhole ? text : `${text.slice(0, longestShown)}\n${more}`,
      accept,
      decline,
    );
  }

  /** Only one dialog at a time: a further request from the page is rejected. */
  async #confirm(question: string, detail: string, accept: string, decline: string): Promise<boolean> {
    if (this.#isAsking) return false;
    this.#isAsking = true;
    try {
      return await confirmRisk({ question, detail, accept, decline });
    } finally {
      this.#isAsking = false;
    }
  }

  #notify(sentence: string): void {
    if (this.#notices.tryAcquire(sentence)) void showWarningMessage(sentence);
    else setStatusBarMessage(sentence, noticeRestMs);
  }
}
