import type { Message } from "../../core/conversation/conversation.ts";
import { Diagrams } from "../markdown/diagram/diagrams.ts";
import { CodeHighlighter } from "../markdown/highlight/codeHighlighter.ts";
import { MathTypesetter } from "../markdown/math/mathTypesetter.ts";
import { AssistantMessage } from "./assistantMessage.ts";
import { handleClicks } from "./clicks.ts";
import type { MessageContext, MessageView, TranscriptContext } from "./messageView.ts";
import { StreamingText } from "./streamingText.ts";
import { UserMessage } from "./userMessage.ts";

/**
 * Creates the elements of messages. This file and what it imports, with Markdown more than half of the page's code, are
 * loaded after everything else, because a new chat has no messages and can be used without them.
 */
export class MessageViews {
  readonly #context: MessageContext;

  /** @param root The element that contains the messages. */
  constructor(root: HTMLElement, context: TranscriptContext) {
    this.#context = {
      ...context,
      highlighter: new CodeHighlighter(),
      math: new MathTypesetter(),
      diagrams: new Diagrams(),
    };
    handleClicks(root, context.host, context.images);
  }

  create(message: Message): MessageView {
    return message.role === "assistant"
      ? new AssistantMessage(message, this.#context)
      : new UserMessage(message, this.#context);
  }
}

/** Typical content of responses, in pieces that each take a few milliseconds. */
const sample: readonly string[] = [
  "## One\n\nTwo **three** *four* `five`, ",
  "[six](https://example.org/).\n\n1. Seven\n2. Eight\n   - nine\n\n",
  "```ts\nconst ten = 10;\n```\n\n",
  "| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n> Eleven\n\n",
];

/**
 * Renders a sample outside the page, one piece each time the page is idle. Code takes several times as long when it
 * runs for the first time, and the first words of a response would have to wait for that.
 */
export async function rehearse(): Promise<void> {
  const text = new StreamingText(document.createElement("div"), () => undefined);
  for (const piece of sample) {
    await new Promise((resolve) => requestIdleCallback(resolve));
    text.append(piece);
    text.render();
  }
}
