import { t } from "@vscode/l10n";
import { formatBytes, formatRemaining } from "../../kernel/formatTime.ts";

/** Milliseconds over which the rate is an average. */
const paceMs = 8_000;

/** How far a transfer is, in words, with its rate over the last seconds. */
export class TransferPace {
  readonly #total: number;
  #samples: readonly { readonly at: number; readonly bytes: number }[] = [];

  constructor(totalBytes: number) {
    this.#total = totalBytes;
  }

  /** @param now In milliseconds. */
  text(doneBytes: number, isPaused: boolean, now: number): string {
    const done = formatBytes(doneBytes);
    const total = formatBytes(this.#total);
    // The unit is written once if it is the same.
    const unit = total.slice(total.lastIndexOf(" "));
    const start = done.endsWith(unit) ? done.slice(0, -unit.length) : done;
    if (isPaused) {
      this.#samples = [];
      return t("Paused at {0} of {1}. It continues when the server is back.", start, total);
    }
    const recent = this.#samples.filter(({ at, bytes }) => now - at <= paceMs && bytes <= doneBytes);
    this.#samples = [...recent, { at: now, bytes: doneBytes }];
    const [first] = this.#samples;
    const ms = first === undefined ? 0 : now - first.at;
    const rate = first === undefined || ms < 1_000 ? 0 : ((doneBytes - first.bytes) / ms) * 1_000;
    const progress = t("{0} of {1}", start, total);
    if (rate <= 0) return progress;
    const left = formatRemaining(((this.#total - doneBytes) / rate) * 1_000);
    return `${progress} · ${t("{0}/s", formatBytes(rate))} · ${t("{0} left", left)}`;
  }
}
