import { t } from "@vscode/l10n";
import { formatSeconds } from "../../core/compose/attachments/limits.ts";
import { omissionMessage } from "../../core/compose/meter/conversationMeter.ts";
import { withSources } from "../../core/conversation/sources.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageChange } from "../../core/conversation/messageDetails.ts";
import { SpokenText } from "../../core/panel/speech/spokenText.ts";
import { responseFormat } from "../../core/responses/structured/responseFormat.ts";
import { create, icon, setHidden, textButton, iconButton } from "../kit/dom.ts";
import { describeBlock, describeCode } from "../kit/liveRegion.ts";
import type { LiveRegion } from "../kit/liveRegion.ts";
import { addCodeActions } from "./code/codeActions.ts";
import { StreamingText } from "./streamingText.ts";
import { MessageNote } from "./messageNote.ts";
import type { MessageContext, MessagePosition, MessageView } from "./messageView.ts";
import { SourceList } from "./sourceList.ts";
import { StructuredResponse } from "./structured/structuredResponse.ts";
import { ToolCalls } from "./tools/toolCalls.ts";
import { isSameChange } from "../../core/conversation/messageDetails.ts";
import { isRemedyBy } from "../../core/account/remedies.ts";
import { canContinue } from "../../core/conversation/continuation.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import type { Host } from "../kit/host.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import { createErrorBox } from "./notices.ts";
import type { ChatRemedy } from "./notices.ts";
import type { UsageLine } from "./usageLine.ts";
import { VersionSwitch, createForkButton } from "./versionSwitch.ts";
import { describeTime } from "../kit/times.ts";

/** The model's reasoning, initially collapsed. Nothing is rendered before it is opened. */
class Reasoning {
  readonly element: HTMLDetailsElement;
  readonly #label = create("span", {}, t("Thinking…"));
  readonly #body = create("div", { class: "markdown reasoning-text" });
  readonly #onOpen: () => void;
  #text = "";
  #shown: StreamingText | undefined;
  #startedAt: number | undefined;
  #isFinished = false;
  #time: number | undefined;

  constructor(onOpen: () => void) {
    this.#onOpen = onOpen;
    this.element = create(
      "details",
      { class: "card reasoning" },
      create("summary", {}, icon("chevron-right"), icon("lightbulb"), this.#label),
      this.#body,
    );
    this.element.hidden = true;
    this.element.addEventListener("toggle", () => this.#open());
  }

  get length(): number {
    return this.#text.length;
  }

  /** `now` is undefined if the text isn't received live, so that its duration isn't known. */
  append(text: string, now: number | undefined): void {
    if (text === "") return;
    this.#startedAt ??= now;
    this.#text += text;
    this.#shown?.append(text);
    setHidden(this.element, false);
  }

  /** Called when the response itself starts, or ends without any text. */
  finish(now: number | undefined): void {
    if (this.#isFinished || this.#text === "") return;
    this.#isFinished = true;
    if (now !== undefined && this.#startedAt !== undefined) this.#time ??= now - this.#startedAt;
    this.#showTime();
    this.#shown?.finish();
  }

  /** How long it took, in milliseconds, if the host knows it. Otherwise nothing changes. */
  setTime(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return;
    this.#time = milliseconds;
    if (this.#isFinished) this.#showTime();
  }

  #showTime(): void {
    this.#label.textContent =
      this.#time === undefined ? t("Reasoning") : t("Thought for {0}", describeTime(this.#time));
  }

  /** False if there is more to show in the next frame. */
  render(): boolean {
    return this.#shown?.render() ?? true;
  }

  #open(): void {
    if (!this.element.open || this.#shown !== undefined) return;
    this.#shown = new StreamingText(this.#body, () => undefined);
    this.#shown.append(this.#text);
    if (this.#isFinished) this.#shown.finish();
    this.#onOpen();
  }
}

/** The message and the actions for a response that didn't end normally. */
class ResponseOutcome {
  readonly element = create("div", { class: "outcome" });
  readonly #host: Host;
  readonly #id: string;

  constructor(host: Host, { id }: Message) {
    this.#host = host;
    this.#id = id;
  }

  /** @param isLast Whether it is the newest message: only that one can be tried again. */
  show({ status, error, finishReason }: MessageChange, text: string, isLast: boolean): void {
    const isBroken = canContinue({
      role: "assistant",
      status,
      text,
      finishReason,
    });
    const more = status !== "streaming" && isBroken ? [this.#createContinueButton()] : [];
    this.element.replaceChildren(
      ...(status === "failed" && error !== undefined
        ? [createErrorBox(error, { canRetry: isLast, more, onAction: (id) => this.#fix(id) })]
        : status === "stopped"
          ? [this.#createStoppedLine(isLast, more)]
          : more.map((button) => create("div", { class: "continue" }, button))),
    );
  }

  #createStoppedLine(isLast: boolean, more: readonly HTMLElement[]): HTMLElement {
    const words = create("span", { class: "stopped-words" }, t("You stopped this response."));
    const buttons = isLast ? [textButton(t("Retry"), () => this.#fix("retry"))] : [];
    return create("div", { class: "stopped" }, words, ...buttons, ...more);
  }

  #createContinueButton(): HTMLElement {
    const button = textButton(t("Continue from Here"), () => this.#act("continue"));
    button.classList.add("idle-only");
    return button;
  }

  #fix(remedy: ChatRemedy): void {
    if (isRemedyBy(remedy, "message")) this.#act(remedy);
    else this.#host.post({ type: "action", id: remedy, messageId: this.#id });
  }

  #act(action: MessageAction): void {
    this.#host.post({ type: "messageAction", action, messageId: this.#id });
  }
}

/** The actions on a complete response, its versions, and its usage. */
class ResponseFooter {
  readonly element: HTMLElement;
  /** Usage details, below the footer. */
  readonly details: HTMLElement;
  readonly #versions: VersionSwitch;
  readonly #usage: UsageLine;

  /** @param text Returns the response's text for copying. */
  constructor({ id, settings }: Message, { host, usageLines }: MessageContext, text: () => string) {
    const act = (action: MessageAction) => (): void => {
      host.post({ type: "messageAction", action, messageId: id });
    };
    const copy = iconButton("copy", t("Copy Response"), () => host.post({ type: "copy", text: text() }));
    copy.dataset["copy"] = "answer";
    const regenerate = iconButton("refresh", t("Regenerate"), act("regenerate"));
    regenerate.classList.add("idle-only");
    const fork = createForkButton(host, id);
    const inspect = iconButton("inspect", t("Inspect Request"), act("inspectRequest"));
    this.#versions = new VersionSwitch(host, id);
    this.#usage = usageLines.create(settings);
    this.details = this.#usage.details;
    this.element = createToolbar(
      t("Response actions"),
      { class: "message-foot" },
      // Versions come first because they are always visible, unlike the other buttons.
      ...[this.#versions.element, copy, regenerate, fork, inspect, this.#usage.button],
    );
  }

  showVersions(versions: readonly string[]): void {
    this.#versions.show(versions);
  }

  show(change: MessageChange): void {
    this.element.hidden = change.status === "streaming";
    this.#usage.show(change);
  }
}

/** UTF-16 code units of a complete response that are prepared for speech in one step. */
const spokenAtOnce = 2_000;

/** Announces one live response to screen readers, at the moments that the user has chosen. */
class ResponseSpeech {
  readonly #liveRegion: LiveRegion;
  readonly #spoken: SpokenText;
  #hasSpoken = false;
  #isOver = false;

  constructor(liveRegion: LiveRegion) {
    this.#liveRegion = liveRegion;
    this.#spoken = new SpokenText(describeCode, () => liveRegion.hasRoom);
  }

  append(text: string): void {
    this.#hasSpoken = true;
    if (this.#liveRegion.mode !== "sentences") return;
    for (const sentence of this.#spoken.append(text)) this.#liveRegion.announcePart(sentence);
  }

  blockFinished(block: Node): void {
    if (this.#liveRegion.mode === "blocks") this.#liveRegion.announcePart(describeBlock(block));
  }

  /** The text is complete. A response that wasn't received live isn't announced. */
  end(text: string): void {
    if (!this.#hasSpoken || this.#isOver) return;
    this.#isOver = true;
    if (this.#liveRegion.mode === "sentences") this.#say(this.#spoken);
    if (this.#liveRegion.mode !== "end") return;
    const whole = new SpokenText(describeCode);
    // Only the beginning of a long response is announced.
    for (let start = 0; start < text.length && this.#liveRegion.hasRoom; start += spokenAtOnce)
      for (const sentence of whole.append(text.slice(start, start + spokenAtOnce)))
        this.#liveRegion.announcePart(sentence);
    this.#say(whole);
  }

  #say(spoken: SpokenText): void {
    for (const sentence of spoken.finish()) this.#liveRegion.announcePart(sentence);
  }
}

/** Seconds after which the elapsed time is shown while nothing arrives. */
const shownAfterSeconds = 5;

/** A response: its reasoning, text and tool calls as they arrive, then how it ended. */
export class AssistantMessage implements MessageView {
  readonly element: HTMLElement;
  readonly #id: string;
  readonly #context: MessageContext;
  readonly #text: StreamingText;
  readonly #reasoning: Reasoning;
  readonly #toolCalls: ToolCalls;
  readonly structured: StructuredResponse;
  /** How long nothing has arrived, which may be the whole time if the response isn't streamed. */
  readonly #elapsed = create("span", { class: "elapsed", role: "timer" });
  readonly #waiting = create(
    "p",
    { class: "waiting" },
    create("span", { class: "visually-hidden" }, t("Waiting for the response")),
    create("span", { class: "dots", "aria-hidden": "true" }, create("i"), create("i"), create("i")),
    this.#elapsed,
  );
  readonly #author = create("h2", { class: "author", dir: "auto" });
  readonly #omitted = create("p", { class: "omitted", hidden: "" });
  readonly #sources = new SourceList();
  readonly #note: MessageNote;
  readonly #outcome: ResponseOutcome;
  readonly #foot: ResponseFooter;
  readonly #speech: ResponseSpeech;
  #change: MessageChange;
  #isLast = false;
  #isLive = false;
  #isCompared = false;

  constructor(message: Message, context: MessageContext) {
    this.#id = message.id;
    this.#context = context;
    this.#speech = new ResponseSpeech(context.liveRegion);
    this.#change = message;
    const body = create("div", { class: "markdown" });
    this.#text = new StreamingText(
      body,
      (block) => this.#onFinished(block),
      (node) => context.math.add(node),
      responseFormat(message.settings) !== undefined,
    );
    this.#reasoning = new Reasoning(() => context.requestFrame(this));
    this.#toolCalls = new ToolCalls(message.id, context);
    this.structured = new StructuredResponse(message.id, message.settings, context, () => this.#text.text);
    this.#foot = new ResponseFooter(message, context, () =>
      withSources(this.#text.text, this.#change.sources),
    );
    this.#outcome = new ResponseOutcome(context.host, message);
    this.#note = new MessageNote(context.host, message.id);
    this.element = create(
      "article",
      {
        class: "message assistant",
        "data-message-id": message.id,
        "data-vscode-context": JSON.stringify({ webviewSection: "answer", messageId: message.id }),
      },
      this.#author,
      this.#omitted,
      this.#reasoning.element,
      body,
      this.#waiting,
      this.#toolCalls.element,
      this.structured.element,
      this.#sources.element,
      this.#note.element,
      this.#outcome.element,
      this.#foot.element,
      this.#foot.details,
    );
    this.#appendFirst(message, body);
    this.#showStatus(undefined);
    if (message.status === "streaming") this.#countSeconds();
    this.#isLive = true;
  }

  get textLength(): number {
    return this.#text.text.length;
  }

  get reasoningLength(): number {
    return this.#reasoning.length;
  }

  get isShown(): boolean {
    return this.#text.isShown;
  }

  update(message: Message): boolean {
    const text = this.#text.text;
    const isLonger = message.text.length > text.length || message.reasoning.length > this.#reasoning.length;
    if (message.role !== "assistant" || !message.text.startsWith(text)) return false;
    if (message.reasoning.length < this.#reasoning.length || (isLonger && this.#text.isFinished))
      return false;
    if (message.status === "streaming" && this.#text.isFinished) return false;
    this.append(message.text.slice(text.length), message.reasoning.slice(this.#reasoning.length));
    this.change(message);
    return true;
  }

  append(text: string, reasoning: string): void {
    if (!this.#isCompared) this.#speech.append(text);
    this.#append(text, reasoning, performance.now());
    this.#context.requestFrame(this);
  }

  change(change: MessageChange): void {
    if (isSameChange(this.#change, change)) return;
    this.#change = change;
    this.#showStatus(performance.now());
    this.#announceEnd();
    this.#context.requestFrame(this);
  }

  render(): void {
    const isReasoningShown = this.#reasoning.render();
    if (!this.#text.render() || !isReasoningShown) this.#context.requestFrame(this);
  }

  renderAll(): void {
    this.#text.renderAll();
    this.render();
  }

  dispose(): void {
    this.#context.tools.unwatch(this.#id);
  }

  setPosition({ isLast, isCompared = false, isUnsent = false, versions }: MessagePosition): void {
    this.#note.show(isUnsent);
    this.#isCompared = isCompared;
    this.#foot.showVersions(versions);
    this.element.classList.toggle("last", isLast);
    if (isLast === this.#isLast) return;
    this.#isLast = isLast;
    this.#toolCalls.setLast(isLast);
    this.structured.setLast(isLast);
    this.#showOutcome();
  }

  /** Shows the existing content. A continued response shows where it was continued. */
  #appendFirst({ text, reasoning, seams = [] }: Message, body: Element): void {
    this.#reasoning.append(reasoning, undefined);
    if (text === "") return;
    this.#reasoning.finish(undefined);
    appendWithSeams(this.#text, body, text, seams);
    this.#waiting.hidden = true;
  }

  #append(text: string, reasoning: string, now: number | undefined): void {
    this.#reasoning.append(reasoning, now);
    if (text === "") return;
    this.#reasoning.finish(now);
    this.#text.append(text);
    setHidden(this.#waiting, true);
  }

  /** Shows how long nothing has arrived, once that is worth knowing. */
  #countSeconds(): void {
    const startedAt = Date.now();
    const timer = setInterval(() => {
      const seconds = (Date.now() - startedAt) / 1000;
      if (this.#waiting.hidden || !this.element.isConnected) clearInterval(timer);
      else if (seconds >= shownAfterSeconds) this.#elapsed.textContent = formatSeconds(seconds);
    }, 1000);
  }

  #showStatus(now: number | undefined): void {
    const { status, model, timing } = this.#change;
    const author = model ?? t("Assistant");
    this.#author.textContent = author;
    this.element.setAttribute("aria-label", author);
    this.#toolCalls.update(this.#change);
    const isStreaming = status === "streaming";
    this.element.setAttribute("aria-busy", String(isStreaming));
    this.#waiting.hidden = !isStreaming || this.#text.text !== "";
    if (!isStreaming) {
      this.#reasoning.finish(now);
      this.#reasoning.setTime(timing?.reasoningMs);
      this.#text.finish();
    }
    if (status === "complete" && this.#text.text !== "") this.structured.finish(this.#isLive);
    this.#foot.show(this.#change);
    this.#sources.show(this.#change.sources);
    this.#showOmitted();
    this.#showOutcome();
  }

  #showOmitted(): void {
    const { omitted } = this.#change;
    this.#omitted.hidden = omitted === undefined;
    if (omitted === undefined) return;
    const undo = textButton(t("Undo"), () =>
      this.#context.host.post({ type: "messageAction", action: "undoAdaptations", messageId: this.#id }),
    );
    undo.title = t("Include it again in the next request");
    const canUndo = (omitted.adaptations ?? []).length > 0;
    this.#omitted.replaceChildren(icon("info"), omissionMessage(omitted), ...(canUndo ? [undo] : []));
  }

  #showOutcome(): void {
    this.#outcome.show(this.#change, this.#text.text, this.#isLast);
  }

  #onFinished(block: Node): void {
    this.#context.highlighter.add(block);
    this.#context.diagrams.add(block);
    addCodeActions(block);
    if (this.#isLive && !this.#isCompared) this.#speech.blockFinished(block);
  }

  #announceEnd(): void {
    const { status, error } = this.#change;
    if (status !== "streaming") this.#speech.end(this.#text.text);
    if (status === "failed" && error !== undefined) this.#context.liveRegion.announce(error.message);
    if (status === "stopped") this.#context.liveRegion.announce(t("Stopped."));
  }
}

/**
 * Appends the text with a mark at each place where the response was interrupted. The mark is placed before the block
 * that was open there, because the block itself continues as if nothing had happened.
 * @param seams Offsets into the text, in UTF-16 code units.
 */
function appendWithSeams(target: StreamingText, body: Element, text: string, seams: readonly number[]): void {
  let shown = 0;
  for (const seam of seams) {
    if (seam <= shown || seam > text.length) continue;
    target.append(text.slice(shown, seam));
    target.renderAll();
    [...body.querySelectorAll(".section")].at(-1)?.lastElementChild?.before(createMark());
    shown = seam;
  }
  target.append(text.slice(shown));
}

function createMark(): HTMLElement {
  const words = t("Interrupted here, then continued");
  return create("div", { class: "seam", role: "note" }, icon("debug-continue"), create("span", {}, words));
}
