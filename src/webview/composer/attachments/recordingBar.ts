import { t } from "@vscode/l10n";
import { formatSeconds } from "../../../core/compose/attachments/limits.ts";
import type { RecordingCommand, RecordingView } from "../../../core/panel/protocol.ts";
import { create, icon, iconButton, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

/** Shows a recording in progress with its duration, and ends it. */
export class RecordingBar {
  readonly element = create("div", { class: "recording", role: "group", "aria-label": t("Recording") });
  /** Starts a recording. */
  readonly button: HTMLElement;
  readonly #host: Host;
  readonly #words = create("span", { role: "status" });
  readonly #time = create("span", { class: "player-time", role: "timer" });
  readonly #note = create("span", { class: "attachment-facts", dir: "auto" });
  readonly #stop: HTMLElement;
  readonly #transcribe: HTMLElement;
  readonly #cancel: HTMLElement;
  #recording: RecordingView | undefined;
  /** When it started, by this page's clock, because the host's clock may differ. */
  #startedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.button = iconButton("mic", t("Record audio"), () => this.#run("start"));
    this.#stop = textButton(t("Stop"), () => this.#run("stop"), "primary");
    this.#transcribe = textButton(t("Insert as Text"), () => this.#run("transcribe"));
    this.#cancel = textButton(t("Cancel"), () => this.#run("cancel"));
    this.element.append(
      create(
        "p",
        {},
        icon("record"),
        create("span", { class: "recording-words" }, this.#words, " ", this.#time, this.#note),
      ),
      create("div", { class: "buttons" }, this.#stop, this.#transcribe, this.#cancel),
    );
    this.show(undefined);
  }

  /** Returns whether the focus was on an element that was removed. */
  show(recording: RecordingView | undefined): boolean {
    const focused = document.activeElement;
    const hadFocus = focused === this.button || this.element.contains(focused);
    const isRecording = recording?.elapsedMs !== undefined;
    this.#recording = recording;
    this.#startedAt = Date.now() - (recording?.elapsedMs ?? 0);
    clearInterval(this.#timer);
    if (isRecording) this.#timer = setInterval(() => this.#showTime(), 250);
    this.element.hidden = recording === undefined;
    this.button.hidden = recording !== undefined;
    this.#stop.hidden = !isRecording;
    this.#transcribe.hidden = !isRecording;
    const state = recording?.isTranscribing === true ? t("Transcribing…") : t("Starting the recorder…");
    this.#words.textContent = isRecording ? t("Recording") : state;
    this.#note.textContent = recording?.note ?? "";
    this.#showTime();
    if (hadFocus && recording !== undefined) (isRecording ? this.#stop : this.#cancel).focus();
    return hadFocus && recording === undefined;
  }

  #run(command: RecordingCommand): void {
    this.#host.post({ type: "recording", command });
  }

  #showTime(): void {
    const { elapsedMs, maxSeconds = 0 } = this.#recording ?? {};
    const seconds = Math.min(maxSeconds, (Date.now() - this.#startedAt) / 1000);
    this.#time.textContent =
      elapsedMs === undefined ? "" : t("{0} of {1}", formatSeconds(seconds), formatSeconds(maxSeconds));
  }
}
