import { t } from "@vscode/l10n";
import type { ToolCall } from "../../core/completion.ts";
import { create, fill, icon } from "../dom.ts";

/** Cards of the functions that the model asked for, arguments folded away. */
export class ToolCalls {
  readonly element = create("div", { class: "tool-calls" });
  #shown = "";

  update(calls: readonly ToolCall[]): void {
    const key = JSON.stringify(calls);
    if (key === this.#shown) return;
    this.#shown = key;
    this.element.replaceChildren(...calls.map(createCard));
  }
}

function createCard(call: ToolCall): HTMLElement {
  return create(
    "details",
    { class: "card tool-call" },
    create(
      "summary",
      {},
      icon("chevron-right"),
      icon("tools"),
      create("span", { dir: "auto" }, ...fill(t("Tool call: {0}"), create("code", {}, call.name))),
    ),
    create("pre", { tabindex: "0", dir: "ltr" }, create("code", {}, formatArguments(call.arguments))),
  );
}

/** Indented where it is JSON, as the model wrote it where it isn't. */
function formatArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
