import { t } from "@vscode/l10n";
import type { SendKey } from "../../core/panel/settings/chatPreferences.ts";
import { enterWith } from "../kit/keyboard/fieldKeys.ts";
import { create, fill, icon } from "../kit/dom.ts";

/** The content before the first message: what the chat can do, and a few ways to start. */
export class EmptyState {
  readonly element: HTMLElement;
  readonly #keys = create("p", { class: "hint keys" });

  constructor(onExample: (text: string) => void) {
    this.element = create(
      "div",
      { class: "empty" },
      create("div", { class: "empty-icon" }, icon("comment-discussion")),
      create("h2", {}, t("Chat with your models")),
      create(
        "p",
        { class: "hint" },
        t("Responses stream in here and are saved even if VS Code closes midway."),
      ),
      create(
        "ul",
        { class: "examples", "aria-label": t("Examples") },
        ...examples().map((text) => create("li", {}, createExample(text, onExample))),
      ),
      this.#keys,
    );
    this.showSendKey("enter");
  }

  showSendKey(sendKey: SendKey): void {
    const key = (name: string): HTMLElement => create("kbd", {}, name);
    const send = key(sendKey === "enter" ? t("Enter") : enterWith("Ctrl"));
    const line = key(sendKey === "enter" ? enterWith("Shift") : t("Enter"));
    this.#keys.replaceChildren(...fill(t("{0} to send, {1} for a new line"), send, line));
  }
}

function createExample(text: string, onExample: (text: string) => void): HTMLElement {
  const button = create("button", { type: "button", class: "example" }, text);
  button.addEventListener("click", () => onExample(text));
  return button;
}

function examples(): readonly string[] {
  return [
    t("Explain how a hash map works, with an example in TypeScript."),
    t("Compare three ways to parallelize a training run, in a table."),
    t("Write a shell script that watches the memory of every GPU."),
  ];
}
