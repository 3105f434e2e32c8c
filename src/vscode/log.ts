import * as vscode from "vscode";
import type { Log } from "../core/log.ts";
import type { Redaction } from "../core/redaction.ts";

/** The output channel "Inference Gateway". It is created with the first line, and every line passes redaction. */
export class OutputLog implements Log, vscode.Disposable {
  readonly #redaction: Redaction;
  #channel: vscode.LogOutputChannel | undefined;

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  debug(message: string): void {
    this.#open().debug(this.#redaction.redact(message));
  }

  info(message: string): void {
    this.#open().info(this.#redaction.redact(message));
  }

  warn(message: string): void {
    this.#open().warn(this.#redaction.redact(message));
  }

  error(message: string): void {
    this.#open().error(this.#redaction.redact(message));
  }

  show(): void {
    this.#open().show(true);
  }

  dispose(): void {
    this.#channel?.dispose();
  }

  #open(): vscode.LogOutputChannel {
    this.#channel ??= vscode.window.createOutputChannel("Inference Gateway", { log: true });
    return this.#channel;
  }
}
