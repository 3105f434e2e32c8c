import type { Host } from "../host.ts";

/** Milliseconds without a key before the draft is sent to the host. */
const quietTime = 300;

/** Hands what is being written to the host, so that it survives the page. */
export class Draft {
  readonly #host: Host;
  #saved = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: string | undefined;

  constructor(host: Host) {
    this.#host = host;
    window.addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.flush();
    });
  }

  /** What the host knows already. */
  restore(text: string): void {
    this.#saved = text;
  }

  change(text: string): void {
    this.#waiting = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), quietTime);
  }

  flush(): void {
    clearTimeout(this.#timer);
    const text = this.#waiting;
    this.#waiting = undefined;
    if (text === undefined || text === this.#saved) return;
    this.#saved = text;
    this.#host.post({ type: "draft", text, attachments: [] });
  }
}
