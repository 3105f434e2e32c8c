import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import type { Host } from "../kit/host.ts";

/** Milliseconds between two drafts sent to the host, which is the most that can be lost with the page. */
const interval = 300;

/** Sends the draft to the host, so that it survives the page. */
export class DraftSaver {
  readonly #host: Host;
  #saved = "";
  #attachments: readonly ContentPart[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: string | undefined;

  constructor(host: Host) {
    this.#host = host;
    for (const event of ["blur", "pagehide"]) window.addEventListener(event, () => this.flush());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.flush();
    });
  }

  /** The draft that the host already has. */
  restore({ text, attachments }: Draft): void {
    this.#waiting = undefined;
    this.#saved = text;
    this.#attachments = attachments;
  }

  change(text: string): void {
    this.#waiting = text;
    if (this.#timer !== undefined) return;
    this.flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting !== undefined) this.change(this.#waiting);
    }, interval);
  }

  /** Attachments may be large, so they are sent only when they have changed, and never with a keystroke. */
  changeAttachments(text: string, attachments: readonly ContentPart[]): void {
    if (attachments === this.#attachments) return;
    this.restore({ text, attachments });
    this.#host.post({ type: "draft", text, attachments });
  }

  flush(): void {
    const text = this.#waiting;
    this.#waiting = undefined;
    if (text === undefined || text === this.#saved) return;
    this.#saved = text;
    this.#host.post({ type: "draft", text });
  }
}
