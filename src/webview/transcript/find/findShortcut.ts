import { create } from "../../kit/dom.ts";
import { isCharacter, isFindKey } from "../../kit/keyboard/fieldKeys.ts";
import type { FindBar, FindBarObserver, SearchedTranscript } from "./findBar.ts";

/** Opens the find bar, which is loaded when it is first needed. Nothing that is typed in the meantime is lost. */
export class FindShortcut {
  /** The container for the bar once it is loaded. */
  readonly container = create("div", {});
  readonly #transcript: SearchedTranscript;
  readonly #observer: FindBarObserver;
  #bar: FindBar | undefined;
  /** What was typed for the bar while it is loading. */
  #typed: string | undefined;

  constructor(transcript: SearchedTranscript, observer: FindBarObserver) {
    this.#transcript = transcript;
    this.#observer = observer;
    document.addEventListener("keydown", (event) => {
      if (!isFindKey(event) || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      if (this.#bar !== undefined) this.#bar.open();
      else if (this.#typed === undefined) void this.#load();
    });
  }

  /** False if the bar is closed already. */
  close(): boolean {
    const isAwaited = this.#typed !== undefined;
    this.#typed = undefined;
    return this.#bar?.close() ?? isAwaited;
  }

  /** Called when the messages have changed. */
  refresh(): void {
    this.#bar?.refresh();
  }

  /** If loading fails, the error is reported and the next shortcut tries again. */
  async #load(): Promise<void> {
    this.#typed = "";
    const hold = (event: KeyboardEvent): void => this.#hold(event);
    window.addEventListener("keydown", hold, { capture: true });
    try {
      const { FindBar } = await import("./findBar.ts");
      this.#bar = new FindBar(this.#transcript, this.#observer);
      this.container.replaceChildren(this.#bar.element);
      // Escape may have been pressed in the meantime.
      if (this.#typed !== undefined) this.#bar.open(this.#typed);
    } finally {
      window.removeEventListener("keydown", hold, { capture: true });
      this.#typed = undefined;
    }
  }

  #hold(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (this.#typed === undefined || isComposing) return;
    if (key === "Backspace" && !ctrlKey && !metaKey && !altKey)
      this.#typed = [...this.#typed].slice(0, -1).join("");
    else if (isCharacter(event)) this.#typed += key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
