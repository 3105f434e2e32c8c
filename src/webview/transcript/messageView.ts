import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageChange } from "../../core/conversation/messageDetails.ts";
import type { Diagrams } from "../markdown/diagram/diagrams.ts";
import type { CodeHighlighter } from "../markdown/highlight/codeHighlighter.ts";
import type { Host } from "../kit/host.ts";
import type { PageImages } from "../kit/images.ts";
import type { LiveRegion } from "../kit/liveRegion.ts";
import type { MathTypesetter } from "../markdown/math/mathTypesetter.ts";
import type { StructuredResponse } from "./structured/structuredResponse.ts";
import type { ToolCallStore } from "./tools/toolCallStore.ts";
import type { UsageLines } from "./usageLine.ts";

/** One message on the page. */
export interface MessageView {
  readonly element: HTMLElement;
  /**
   * Lengths of what is shown or waiting to be shown, in UTF-16 code units. A delta's offsets are checked against them.
   */
  readonly textLength: number;
  readonly reasoningLength: number;
  /** Whether all of its text is shown. False while some of it waits for the next frames. */
  readonly isShown: boolean;
  /** Updates the view to a complete message; false if that isn't possible and the view has to be replaced. */
  update(message: Message): boolean;
  append(text: string, reasoning: string): void;
  change(change: MessageChange): void;
  /** Shows the appended text: now, or over the next frames if there is a lot. */
  render(): void;
  /** Shows all of it now. */
  renderAll(): void;
  setPosition(setPosition: MessagePosition): void;
  /** The check of a response that has to be JSON. */
  readonly structured?: StructuredResponse | undefined;
  /**
   * Opens the message for editing, if possible.
   * @param kept The edited text if it was being edited before. The focus then stays where it is.
   */
  edit?(kept?: string): void;
  /** Called when its elements are no longer used. */
  dispose?(): void;
}

/** The position of a message relative to the others. */
export interface MessagePosition {
  /** Whether this is the newest message: only that one can be tried again. */
  readonly isLast: boolean;
  /** Whether it is next to others that stream at the same time, which can't all be listened to at once. */
  readonly isCompared?: boolean;
  /** Whether later requests leave it out. */
  readonly isUnsent?: boolean;
  /** The IDs of all of its versions, including itself; empty if there is just one. */
  readonly versions: readonly string[];
}

/** What the page gives to the views of all messages. */
export interface TranscriptContext {
  readonly host: Host;
  readonly images: PageImages;
  readonly liveRegion: LiveRegion;
  readonly tools: ToolCallStore;
  readonly usageLines: UsageLines;
  /** Whether this key sends, according to the user's setting. */
  isSendKey(event: KeyboardEvent): boolean;
  /** Requests that this view's `render` is called in the next frame. */
  requestFrame(view: MessageView): void;
}

/** What the views of all messages have in common. */
export interface MessageContext extends TranscriptContext {
  readonly highlighter: CodeHighlighter;
  readonly math: MathTypesetter;
  readonly diagrams: Diagrams;
}
