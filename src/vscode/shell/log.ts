import * as vscode from "vscode";
import type { Log } from "../../core/kernel/log.ts";
import { redactionMark } from "../../core/account/redaction.ts";
import type { Redaction } from "../../core/account/redaction.ts";

/** How many lines are kept for "Copy Diagnostics", and the maximum length of each in UTF-16 code units. */
const maxRecent = 200;
const longestRecent = 1_000;

/** The "Inference Gateway" output channel. It is created with the first line, and every line is redacted. */
export class OutputLog implements Log, vscode.Disposable {
  readonly #redaction: Redaction;
  #channel: vscode.LogOutputChannel | undefined;
  #written: Promise<void> = Promise.resolve();
  readonly #recent: string[] = [];

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  debug(message: string): void {
    this.#write("debug", message);
  }

  info(message: string): void {
    this.#write("info", message);
  }

  warn(message: string): void {
    this.#write("warn", message);
  }

  error(message: string): void {
    this.#write("error", message);
  }

  /** The last lines as written, with time and level, oldest first. */
  async recent(): Promise<readonly string[]> {
    await this.#written;
    return [...this.#recent];
  }

  show(): void {
    this.#open().show(true);
  }

  dispose(): void {
    this.#channel?.dispose();
  }

  /** Lines keep their order. The secret detector is loaded with the first one. */
  #write(level: "debug" | "info" | "warn" | "error", message: string): void {
    const redacted = this.#redaction.redact(message);
    this.#written = this.#written
      .then(() => import("../../core/account/secrets/scanSecrets.ts"))
      .then(({ replaceSecrets }) => replaceSecrets(redacted, redactionMark, "strict"))
      .catch(() => redacted)
      .then((line) => {
        this.#remember(level, line);
        this.#open()[level](line);
      })
      .catch(() => undefined);
  }

  #remember(level: string, line: string): void {
    const shown = line.length > longestRecent ? `${line.slice(0, longestRecent)}…` : line;
    this.#recent.push(`${new Date().toISOString()} [${level}] ${shown}`);
    if (this.#recent.length > maxRecent) this.#recent.shift();
  }

  #open(): vscode.LogOutputChannel {
    this.#channel ??= vscode.window.createOutputChannel("Inference Gateway", { log: true });
    return this.#channel;
  }
}
