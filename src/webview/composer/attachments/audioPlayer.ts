import { t } from "@vscode/l10n";
import { describePart, partName } from "../../../core/compose/attachments/describePart.ts";
import { formatSeconds } from "../../../core/compose/attachments/limits.ts";
import type { AudioPart } from "../../../core/conversation/completion.ts";
import { create, icon, iconButton } from "../../kit/dom.ts";
import type { Attachment } from "./attachment.ts";
import { dataUrl } from "./base64.ts";

/** The element that is playing: only one can be listened to at a time. */
let playing: HTMLAudioElement | undefined;

/** Plays audio. Its bytes are decoded when it is first played. */
export class AudioPlayer {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #button = iconButton("play", "", () => this.#toggle());
  readonly #position = create("input", {
    type: "range",
    class: "player-position",
    min: "0",
    max: "1000",
    value: "0",
    "aria-label": t("Position"),
  });
  readonly #time = create("span", { class: "player-time" });
  readonly #audio = create("audio", { preload: "metadata" });
  readonly #problem = create("span", { class: "player-problem", role: "status" });
  readonly #part: AudioPart;
  #seconds: number;

  constructor({ part, facts }: Attachment & { readonly part: AudioPart }) {
    this.#part = part;
    this.#name = partName(part);
    this.#seconds = facts.seconds ?? 0;
    this.element = create(
      "div",
      { class: "player", role: "group" },
      this.#button,
      create(
        "div",
        { class: "player-body" },
        create("span", { class: "attachment-name", dir: "auto", title: this.#name }, this.#name),
        this.#position,
        create("span", { class: "attachment-facts" }, this.#time, ` · ${describePart(part, {})}`),
        this.#problem,
      ),
      // It must be in the document, because a player that is removed stops playing.
      this.#audio,
    );
    this.#listen();
    // A URL that is released with its element, unlike one that has to be revoked.
    this.#audio.src = dataUrl(part);
    this.#showState();
  }

  #listen(): void {
    for (const name of ["play", "pause", "ended"]) {
      this.#audio.addEventListener(name, () => this.#showState());
    }
    this.#audio.addEventListener("timeupdate", () => this.#showTime());
    this.#audio.addEventListener("loadedmetadata", () => {
      if (Number.isFinite(this.#audio.duration)) this.#seconds = this.#audio.duration;
      this.#showState();
    });
    this.#audio.addEventListener("error", () => this.#fail());
    this.#position.addEventListener("input", () => this.#seek());
  }

  #toggle(): void {
    if (!this.#audio.paused) return this.#audio.pause();
    playing?.pause();
    playing = this.#audio;
    this.#audio.play().catch((error: unknown) => {
      // Stopped before it started.
      if (!(error instanceof DOMException && error.name === "AbortError")) this.#fail();
    });
  }

  #seek(): void {
    this.#audio.currentTime = (Number(this.#position.value) / 1000) * this.#seconds;
    this.#showTime();
  }

  #fail(): void {
    this.#problem.textContent = t("This audio can't be played here.");
    this.#showState();
  }

  #showState(): void {
    const isPlaying = !this.#audio.paused && !this.#audio.ended;
    const label = isPlaying ? t("Pause {0}", this.#name) : t("Play {0}", this.#name);
    this.#button.replaceChildren(icon(isPlaying ? "debug-pause" : "play"));
    this.#button.setAttribute("aria-label", label);
    this.#button.title = label;
    const facts = this.#seconds > 0 ? { seconds: this.#seconds } : {};
    this.element.setAttribute("aria-label", `${this.#name}, ${describePart(this.#part, facts)}`);
    this.#showTime();
  }

  #showTime(): void {
    const { currentTime } = this.#audio;
    const share = this.#seconds > 0 ? Math.min(1, currentTime / this.#seconds) : 0;
    this.#position.value = String(Math.round(share * 1000));
    const [now, end] = [formatSeconds(currentTime), formatSeconds(this.#seconds)];
    this.#position.setAttribute("aria-valuetext", t("{0} of {1}", now, end));
    this.#time.textContent = `${now} / ${end}`;
  }
}
