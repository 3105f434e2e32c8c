import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import { shownTitle } from "../../core/conversation/conversationTitle.ts";
import type { MessageQueue } from "../../core/conversation/messageQueue.ts";
import { ReadyMarks } from "../../core/panel/readyMarks.ts";
import type { ReadyState } from "../../core/panel/readyMarks.ts";
import type { ShownConversations } from "../responses/tools/waitingCalls.ts";
import { schedule } from "../shell/pause.ts";
import { reachMilestone } from "../shell/milestones.ts";
import { readSetting } from "../shell/settings.ts";
import { showInformationMessage } from "../shell/window.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Within this many milliseconds, a queued message is sent, unless it is held because of a question to the user. */
const sendingMs = 2_000;

interface ReadyNotifierContext {
  /** @param messageId Whether this message, and not another version of it, is visible in it. */
  isVisible(conversationId: string, messageId?: string): boolean;
  open(conversationId: string, messageId?: string): Promise<unknown>;
  /** Marks the tab or view of the conversation. */
  showMark(conversationId: string, mark: ReadyState | undefined): void;
  /** Shows how many conversations are marked. */
  showBadge(badge: vscode.ViewBadge | undefined): void;
}

/**
 * Lets the user know that a response is ready while they look elsewhere: a mark on the chat's tab, a badge, and after a
 * long response a notification. VS Code offers extensions no notifications of the operating system, so it is shown in
 * VS Code's window, where it stays until the user is back.
 */
export class ReadyNotifier implements ShownConversations {
  readonly #context: ReadyNotifierContext;
  readonly #marks = new ReadyMarks();

  constructor(context: ReadyNotifierContext) {
    this.#context = context;
  }

  isVisible(conversationId: string, messageId: string): boolean {
    return this.#context.isVisible(conversationId, messageId);
  }

  open(conversationId: string, messageId: string): Promise<unknown> {
    return this.#context.open(conversationId, messageId);
  }

  /** Follows the responses of an open conversation. */
  follow(session: ChatSession, queue: () => MessageQueue): void {
    let startedAt = Date.now();
    let isStreaming = session.state.isStreaming;
    let cancelNote = (): void => undefined;
    session.subscribe(({ type }) => {
      if (type !== "streaming" || session.state.isStreaming === isStreaming) return;
      isStreaming = session.state.isStreaming;
      cancelNote();
      if (isStreaming) {
        startedAt = Date.now();
        return;
      }
      const tookMs = Date.now() - startedAt;
      // With queued messages, the conversation is ready after the response to the last one.
      if (queue().isSending) cancelNote = schedule(() => this.#noteEnd(session, tookMs), sendingMs);
      else this.#noteEnd(session, tookMs);
    });
  }

  /** Called when tool calls of a conversation have started or stopped waiting for approval. */
  noteWaiting(conversationId: string, isWaiting: boolean): void {
    if (!isWaiting) this.#clear(conversationId, "waiting");
    else if (!this.#context.isVisible(conversationId)) {
      this.#marks.add(
        { conversationId, state: "waiting", isVisible: false, isWindowFocused: true, tookMs: 0 },
        this.#notifyAfterMs,
      );
      this.#show(conversationId);
    }
  }

  /** The user sees the conversation. */
  noteSeen(conversationId: string): void {
    this.#clear(conversationId);
  }

  /** Milliseconds that a response must have taken for a notification; undefined if there are none. */
  get #notifyAfterMs(): number | undefined {
    const seconds = readSetting("chat.notifyAfter");
    return typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : undefined;
  }

  #noteEnd(session: ChatSession, tookMs: number): void {
    const { comparison, messages, asideId } = session.state;
    const shown = comparison.length > 0 ? messages.slice(-comparison.length) : messages.slice(-1);
    const ended = asideId === undefined ? shown : session.state.pathTo(asideId).slice(-1);
    // The user knows about a response that they have stopped.
    if (ended.every(({ status }) => status === "stopped")) return;
    const state = ended.some(({ status }) => status === "failed") ? "failed" : "complete";
    if (state === "complete") reachMilestone("responseCompleted");
    const isVisible = this.#context.isVisible(session.id);
    const isWindowFocused = vscode.window.state.focused;
    const event = { conversationId: session.id, state, isVisible, isWindowFocused, tookMs } as const;
    if (this.#marks.add(event, this.#notifyAfterMs)) void this.#notify(session, state);
    this.#show(session.id);
  }

  async #notify({ id, state: { title } }: ChatSession, state: "complete" | "failed"): Promise<void> {
    const show = vscode.l10n.t("Show Chat");
    const sentence =
      state === "failed"
        ? vscode.l10n.t("The response in “{0}” failed.", shownTitle(title))
        : vscode.l10n.t("The response in “{0}” is ready.", shownTitle(title));
    const choice = await showInformationMessage(sentence, show);
    if (choice === show) await this.#context.open(id);
  }

  #clear(conversationId: string, state?: ReadyState): void {
    if (this.#marks.remove(conversationId, state)) this.#show(conversationId);
  }

  #show(conversationId: string): void {
    this.#context.showMark(conversationId, this.#marks.of(conversationId));
    this.#showBadge();
  }

  #showBadge(): void {
    const counts = this.#marks.counts;
    const value = counts.complete + counts.failed + counts.waiting;
    this.#context.showBadge(value === 0 ? undefined : { value, tooltip: badgeTooltip(counts) });
  }
}

function badgeTooltip({ complete, failed, waiting }: Readonly<Record<ReadyState, number>>): string {
  return [
    complete === 0 ? "" : vscode.l10n.t("Conversations with a new response: {0}", formatNumber(complete)),
    failed === 0 ? "" : vscode.l10n.t("Conversations with a failed response: {0}", formatNumber(failed)),
    waiting === 0
      ? ""
      : vscode.l10n.t("Conversations with a tool waiting for approval: {0}", formatNumber(waiting)),
  ]
    .filter((line) => line !== "")
    .join("\n");
}
