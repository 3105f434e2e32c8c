import { t } from "@vscode/l10n";
import { create, icon } from "./dom.ts";

const examples: readonly string[] = [
  t("Explain how a hash map works, with an example in TypeScript."),
  t("Compare three ways to parallelise a training run in a table."),
  t("Write a shell script that watches the memory of every GPU."),
];

/** What is shown before the first message: what can be done here, and a few ways to begin. */
export function createEmptyState(onExample: (text: string) => void): HTMLElement {
  const items = examples.map((text) => {
    const button = create("button", { type: "button", class: "example" }, text);
    button.addEventListener("click", () => onExample(text));
    return create("li", {}, button);
  });
  return create(
    "div",
    { class: "empty" },
    create("div", { class: "empty-icon" }, icon("comment-discussion")),
    create("h2", {}, t("Ask your models")),
    create(
      "p",
      { class: "hint" },
      t("Answers stream in here and are kept, also when VS Code closes halfway."),
    ),
    create("ul", { class: "examples", "aria-label": t("Examples") }, ...items),
    create(
      "p",
      { class: "hint keys" },
      create("kbd", {}, "Enter"),
      " sends, ",
      create("kbd", {}, "Shift+Enter"),
      " begins a new line",
    ),
  );
}
