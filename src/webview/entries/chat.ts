import "../kit/translations.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { ToWebview, Notice, PanelSnapshot } from "../../core/panel/protocol.ts";
import { canShowAttachments, loadAttachmentViews } from "../composer/attachments/loadAttachmentViews.ts";
import { canDecode, loadEntities } from "../markdown/entities.ts";
import { acquireHost } from "../kit/host.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { HostWatchdog } from "../kit/hostWatchdog.ts";
import { t } from "@vscode/l10n";
import { shownTitle } from "../../core/conversation/conversationTitle.ts";
import type { RetryView } from "../../core/conversation/sessionEvent.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import type { PageBehavior } from "../../core/panel/settings/chatPreferences.ts";
import { Composer } from "../composer/composer.ts";
import { MeterView } from "../composer/meter/meterView.ts";
import { Sends } from "../composer/send/sends.ts";
import { create, setHidden } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { focusWithPage, keepFocus, takeFocus } from "../kit/keyboard/keepFocus.ts";
import { walkToolbars } from "../kit/keyboard/toolbars.ts";
import {
  addEditLastShortcut,
  addKeyboardNavigation,
  stopByKey,
  walkFromComposer,
} from "../kit/keyboard/keyboardNavigation.ts";
import { LiveRegion } from "../kit/liveRegion.ts";
import { PageImages } from "../kit/images.ts";
import { ConversationSettingsView } from "../settings/conversationSettings.ts";
import { EmptyState } from "../transcript/emptyState.ts";
import { FindShortcut } from "../transcript/find/findShortcut.ts";
import { createSetupNotice, createTroubleNotice, RetryCountdown } from "../transcript/notices.ts";
import { createNewTextButton, ScrollKeeper } from "../transcript/scrollKeeper.ts";
import { PageStateKeeper } from "../transcript/pageStateKeeper.ts";
import { ToolCallStore } from "../transcript/tools/toolCallStore.ts";
import { Transcript } from "../transcript/transcript.ts";
import type { TranscriptMessage } from "../transcript/transcript.ts";
import { UsageLines } from "../transcript/usageLine.ts";

/** The chat page. It owns nothing: everything that it shows came from a snapshot or from a delta that followed one. */
class ChatPage {
  readonly #host: Host;
  readonly #transcript: Transcript;
  readonly #composer: Composer;
  readonly #settings: ConversationSettingsView;
  readonly #sends: Sends;
  readonly #meter = new MeterView();
  readonly #scroll: ScrollKeeper;
  readonly #stateKeeper: PageStateKeeper;
  readonly #liveRegion = new LiveRegion();
  readonly #images: PageImages;
  readonly #usageLines: UsageLines;
  readonly #tools = new ToolCallStore();
  readonly #retry: RetryCountdown;
  readonly #find: FindShortcut;
  readonly #setup = create("div", { class: "setup" });
  readonly #trouble = create("div", { class: "setup" });
  readonly #empty: EmptyState;
  readonly #title = create("h1", { class: "visually-hidden" }, t("Chat"));
  #conversationId: string | undefined;
  /** False before the first snapshot and after lost messages, when messages that build on a snapshot are ignored. */
  #isSynced = false;

  constructor(root: HTMLElement, host: Host) {
    this.#host = host;
    this.#images = new PageImages(host);
    this.#sends = new Sends(host);
    this.#usageLines = new UsageLines(host);
    this.#composer = new Composer(this.#sends.host, () => this.#scroll.goToEnd());
    this.#settings = new ConversationSettingsView(host);
    for (const control of [this.#meter.button, ...this.#settings.buttons]) this.#composer.addControl(control);
    this.#composer.onDidChange((writing) => this.#meter.showWriting(writing));
    this.#composer.element.addEventListener("input", () => this.#sends.onWriting());
    this.#empty = new EmptyState((text) => this.#composer.write(text));
    this.#retry = new RetryCountdown(host);
    this.#transcript = new Transcript(
      {
        host: this.#sends.host,
        images: this.#images,
        liveRegion: this.#liveRegion,
        usageLines: this.#usageLines,
        tools: this.#tools,
        isSendKey: (event) => this.#composer.isSendKey(event),
      },
      () => this.#scroll.contentGrew(),
    );
    this.#find = new FindShortcut(this.#transcript, {
      onLeaveEnd: () => this.#scroll.leaveEnd(),
      onClose: () => this.#composer.focus(),
    });
    const newText = createNewTextButton(() => this.#scroll.goToEnd());
    const { scroller, column } = layOut(root, {
      column: [this.#title, this.#empty.element, this.#transcript.element, this.#retry.element],
      over: [newText, this.#composer.suggestions],
      bottom: [
        this.#trouble,
        this.#setup,
        this.#sends.queueElement,
        this.#sends.element,
        this.#meter.details,
        this.#composer.element,
      ],
      beside: [this.#find.container, this.#settings.container, this.#liveRegion.element],
    });
    this.#scroll = new ScrollKeeper(scroller, column, {
      onLeftBehind: (isLeftBehind) => setHidden(newText, !isLeftBehind),
      onLaidOut: () => this.#transcript.laidOut(),
      isEmpty: () => this.#transcript.isEmpty,
    });
    this.#transcript.attach({ scroller, isAtEnd: () => this.#scroll.isAtEnd });
    this.#stateKeeper = new PageStateKeeper({
      host,
      transcript: this.#transcript,
      dialog: this.#settings,
      scroller,
      scroll: this.#scroll,
    });
    this.#followKeys(scroller);
  }

  /** Has to be loaded before the page receives messages to show. */
  get transcript(): Pick<Transcript, "isLoaded" | "load"> {
    return this.#transcript;
  }

  receive(message: ToWebview): void {
    switch (message.type) {
      case "snapshot":
        return this.#showSnapshot(message.snapshot);
      case "messageAdded":
      case "messageChanged":
      case "path":
      case "earlier":
        return this.#follow(message);
      case "unsent":
        return this.#transcript.showUnsent(message.ids);
      case "answerChecked":
        this.#transcript.showCheck(message.messageId, message.check);
        return this.#contentChanged();
      case "meter":
        return this.#meter.showReading(message.reading);
      case "sendState":
        this.#sends.receive(message, this.#composer);
        if (message.composer === "clear") this.#scroll.goToEnd();
        return;
      case "preferences":
        this.#usageLines.setPrices(message.preferences.prices, this.#transcript.element);
        return this.#settings.receive(message);
      case "tools":
        return this.#tools.show(message.tools);
      case "settings":
      case "editSettings":
        return this.#settings.receive(message);
      case "delta":
        if (this.#isSynced && !this.#transcript.append(message)) this.#askForSnapshot();
        return;
      case "streaming":
        if (this.#isSynced) this.#showStreaming(message.isStreaming, message.retry);
        return;
      case "picker":
        return this.#composer.showPicker(message.picker);
      case "storageTrouble":
        return this.#showTrouble(message.sentence);
      case "setup":
        return this.#showSetup(message.setup);
      case "image":
        return this.#images.receive(message.url, message.image);
      case "title":
        return this.#showTitle(message.title);
      case "suggestions":
      case "compose":
      case "files":
        return this.#composer.receive(message);
      case "showMessage":
        return this.#transcript.reveal(message.messageId, message.words, () => this.#scroll.leaveEnd());
      case "draft":
        return this.#composer.takeDraft(message);
      case "focus":
        return focusWithPage(() => this.#composer.focus());
      case "behavior":
        return this.#behave(message.behavior);
      case "ping":
        return this.#host.post({ type: "pong" });
      case "pong":
        return;
      default:
        return assertNever(message);
    }
  }

  #followKeys(scroller: HTMLElement): void {
    walkToolbars(this.#transcript.element);
    addKeyboardNavigation(this.#transcript, scroller, () => this.#composer.focus());
    walkFromComposer(this.#composer.element, this.#transcript);
    addEditLastShortcut(this.#composer.element, this.#transcript);
    stopByKey(
      () => this.#find.close() || this.#sends.close() || this.#meter.close() || this.#composer.close(),
      () => this.#composer.stopByKey(),
    );
    keepFocus(this.#composer);
  }

  #showSnapshot(snapshot: PanelSnapshot): void {
    const isFirst = this.#conversationId === undefined;
    const isOther = snapshot.conversationId !== this.#conversationId;
    this.#isSynced = true;
    this.#conversationId = snapshot.conversationId;
    if (isOther) this.#scroll.goToEnd();
    this.#transcript.show(snapshot);
    this.#transcript.showUnsent(snapshot.unsent);
    // The text in the composer is newer than the host's draft.
    if (isFirst) this.#composer.begin(snapshot.draft);
    else if (isOther) this.#composer.restore(snapshot.draft);
    this.#composer.showPicker(snapshot.picker);
    this.#sends.show(snapshot, this.#composer);
    this.#settings.show(snapshot.settings);
    this.#showTitle(snapshot.title);
    this.#showSetup(snapshot.setup);
    this.#showStreaming(snapshot.isStreaming, snapshot.retry);
    this.#contentChanged();
    takeFocus(this.#composer);
    if (isOther) this.#scroll.goToEnd();
    this.#stateKeeper.shown(snapshot.conversationId, snapshot.pageState);
  }

  /** After a lost message, an incomplete response would look complete, so everything waits for the next snapshot. */
  #follow(message: TranscriptMessage): void {
    if (!this.#isSynced) return;
    if (this.#transcript.receive(message)) this.#contentChanged();
    else this.#askForSnapshot();
    this.#find.refresh();
    const isOther = message.type === "earlier" || message.type === "path";
    if (isOther && this.#conversationId !== undefined) this.#stateKeeper.shown(this.#conversationId);
  }

  #askForSnapshot(): void {
    this.#isSynced = false;
    this.#host.post({ type: "ready" });
  }

  #showStreaming(isStreaming: boolean, retry: RetryView | undefined): void {
    this.#composer.setStreaming(isStreaming);
    this.#sends.setStreaming(isStreaming, this.#composer);
    this.#transcript.setStreaming(isStreaming);
    this.#tools.isBusy = isStreaming;
    this.#retry.show(retry);
    if (retry !== undefined) this.#liveRegion.announce(retry.error.message);
    this.#scroll.contentGrew();
  }

  #showTrouble(sentence: string | undefined): void {
    // Every change around the chat sends the same sentence again, but a screen reader should announce it once.
    if (this.#trouble.textContent === (sentence ?? "")) return;
    this.#trouble.replaceChildren(...(sentence === undefined ? [] : [createTroubleNotice(sentence)]));
  }

  #showSetup(setup: Notice | undefined): void {
    this.#setup.replaceChildren(...(setup === undefined ? [] : [createSetupNotice(setup, this.#host)]));
    this.#composer.setReady(setup === undefined);
  }

  #behave({ sendWith, announce }: PageBehavior): void {
    this.#liveRegion.mode = announce;
    this.#composer.setSendKey(sendWith);
    this.#empty.showSendKey(sendWith);
  }

  #showTitle(title: string): void {
    document.title = shownTitle(title);
    this.#title.textContent = shownTitle(title);
  }

  #contentChanged(): void {
    this.#empty.element.hidden = !this.#transcript.isEmpty;
    this.#composer.showConversation(this.#transcript.modalities);
    this.#scroll.contentGrew();
  }
}

/** The areas of the page, each listed from top to bottom. */
interface PageParts {
  /** The elements that scroll together. */
  readonly column: readonly HTMLElement[];
  /** The elements that overlay the end of the column. */
  readonly over: readonly HTMLElement[];
  /** The elements that stay at the bottom. */
  readonly bottom: readonly HTMLElement[];
  /** Dialogs, and elements that are only for screen readers. */
  readonly beside: readonly HTMLElement[];
}

interface PageLayout {
  readonly scroller: HTMLElement;
  /** The content of the scroller. */
  readonly column: HTMLElement;
}

function layOut(root: HTMLElement, parts: PageParts): PageLayout {
  const column = create("div", { class: "column" }, ...parts.column);
  const scroller = create("main", { class: "scroller" }, column);
  const writing = create(
    "section",
    { "aria-label": t("New message") },
    create("div", { class: "jump" }, ...parts.over),
    create("div", { class: "bottom" }, create("div", { class: "bottom-column" }, ...parts.bottom)),
  );
  root.replaceChildren(scroller, writing, ...parts.beside);
  return { scroller, column };
}

const host = acquireHost();

reportErrors(host);
window.addEventListener("focus", () => host.post({ type: "focused" }));
window.addEventListener("blur", () => host.post({ type: "blurred" }));

/**
 * Passes the host's messages to the page in order. Those with text or attachments to render wait until everything that
 * renders them is loaded, and so does everything after them.
 */
class ReceiveQueue {
  readonly #page: ChatPage;
  readonly #waiting: ToWebview[] = [];
  #isLoading = false;

  constructor(page: ChatPage) {
    this.#page = page;
  }

  add(message: ToWebview): void {
    if (this.#waiting.length === 0 && this.#listMissing(message).length === 0)
      return this.#page.receive(message);
    this.#waiting.push(message);
    if (!this.#isLoading) void this.#load();
  }

  /** The functions that load what showing the message needs and the page lacks. */
  #listMissing(message: ToWebview): readonly (() => Promise<unknown>)[] {
    const { transcript } = this.#page;
    const texts = markdownIn(message);
    return [
      ...(texts.length === 0 || transcript.isLoaded ? [] : [() => transcript.load()]),
      ...(texts.every(canDecode) ? [] : [loadEntities]),
      ...(canShowAttachments(attachmentsIn(message)) ? [] : [loadAttachmentViews]),
    ];
  }

  /** If loading fails, the error is reported and the next message tries again. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await Promise.all(this.#listMissing(next).map((load) => load()));
        this.#waiting.shift();
        this.#page.receive(next);
      }
    } finally {
      this.#isLoading = false;
    }
  }
}

/** The texts of the conversation's messages in this message. */
function markdownIn(message: ToWebview): readonly string[] {
  if (message.type === "messageChanged") return [""];
  const grown = message.type === "delta" ? [message] : messagesIn(message);
  return grown.flatMap(({ text, reasoning }) => [text, reasoning]);
}

/** The attachments of messages and drafts in this message. */
function attachmentsIn(message: ToWebview): readonly ContentPart[] {
  const draft =
    message.type === "snapshot"
      ? message.snapshot.draft
      : message.type === "draft"
        ? message.draft
        : message.type === "sendState"
          ? message.restored
          : undefined;
  return [...messagesIn(message), ...(draft === undefined ? [] : [draft])].flatMap(
    ({ attachments }) => attachments,
  );
}

function messagesIn(message: ToWebview): readonly Message[] {
  switch (message.type) {
    case "snapshot":
      return message.snapshot.messages;
    case "path":
      return message.path.messages;
    case "earlier":
      return message.messages;
    case "messageAdded":
      return [message.message];
    default:
      return [];
  }
}

async function prepareMessages({ transcript }: ChatPage): Promise<void> {
  await transcript.load();
  const { rehearse } = await import("../transcript/messageViews.ts");
  await rehearse();
}

const root = document.getElementById("app");
if (root !== null) {
  const hostWatchdog = new HostWatchdog(host);
  const page = new ChatPage(root, hostWatchdog.host);
  const queue = new ReceiveQueue(page);
  onHostMessage<ToWebview>((message) => {
    hostWatchdog.messageReceived(message);
    queue.add(message);
  });
  root.querySelector(".bottom-column")?.prepend(hostWatchdog.element);
  keepPageKeys();
  hostWatchdog.host.post({ type: "ready" });
  // Loaded early, so that the first response doesn't have to wait.
  requestIdleCallback(() => void prepareMessages(page), { timeout: 2000 });
}
