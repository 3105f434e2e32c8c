import type { Role } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageChange } from "../../core/conversation/messageFields.ts";
import type { Diagrams } from "../markdown/diagram/diagrams.ts";
import type { CodeHighlighter } from "../markdown/highlight/codeHighlighter.ts";
import type { Host } from "../kit/host.ts";
import type { LiveRegion } from "../kit/liveRegion.ts";
import type { MathTypesetter } from "../markdown/math/mathTypesetter.ts";
import type { StructuredResponse } from "./structured/structuredResponse.ts";
import type { ToolCallStore } from "./tools/toolCallStore.ts";
import type { UsageLines } from "./usageLine.ts";

/** One message on the page. */
export interface MessageView {
  readonly element: HTMLElement;
  readonly role: Role;
  /** Lengths of what is shown or waits to be shown, in UTF-16 units: what a delta's offsets are checked against. */
  readonly textLength: number;
  readonly reasoningLength: number;
  /** Takes a whole message; false if this view can't become it and must be replaced. */
  update(message: Message): boolean;
  append(text: string, reasoning: string): void;
  change(change: MessageChange): void;
  /** Shows what was appended. */
  render(): void;
  setPosition(setPosition: MessagePosition): void;
  /** Whether a response is the JSON that it had to be. */
  readonly structured?: StructuredResponse | undefined;
  /** Opens the message for editing, if possible. */
  edit?(): void;
  /** Its elements are not used any more. */
  dispose?(): void;
}

/** Where a message stands among the others. */
export interface MessagePosition {
  /** Whether this is the newest message: only that one can be tried again. */
  readonly isLast: boolean;
  /** Whether it is beside others that stream at the same time. No one can listen to all of them. */
  readonly isCompared?: boolean;
  /** Whether later requests leave it out. */
  readonly isUnsent?: boolean;
  /** The ids of all versions of it, itself included; empty if there is just one. */
  readonly versions: readonly string[];
}

/** What the views of all messages share. */
export interface MessageContext {
  readonly host: Host;
  readonly highlighter: CodeHighlighter;
  readonly math: MathTypesetter;
  readonly diagrams: Diagrams;
  readonly liveRegion: LiveRegion;
  readonly tools: ToolCallStore;
  readonly usageLines: UsageLines;
  /** Whether this key sends, by the user's setting. */
  isSendKey(event: KeyboardEvent): boolean;
  /** Asks for `render` of this view at the next frame. */
  requestFrame(view: MessageView): void;
}
