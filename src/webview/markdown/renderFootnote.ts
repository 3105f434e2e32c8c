import { t } from "@vscode/l10n";
import type { Token } from "markdown-it";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** A footnote's mark in the text: its own label. */
export function renderFootnoteReference(token: Token): ElementTree {
  const label = labelOf(token);
  const attributes = { type: "button", class: "footnote-link", "data-footnote-ref": label };
  return element("sup", { class: "footnote-ref" }, [
    element("button", { ...attributes, "aria-label": t("Footnote {0}", label) }, [label]),
  ]);
}

/** A footnote, to be shown after the message's text. */
export function renderFootnote(open: Token, children: readonly Tree[]): ElementTree {
  const label = labelOf(open);
  const back = t("Back to footnote reference {0}", label);
  return element("div", { class: "footnote", "data-footnote": label, tabindex: "-1" }, [
    element(
      "button",
      {
        type: "button",
        class: "footnote-link footnote-label",
        "data-footnote-back": label,
        "aria-label": back,
        title: back,
      },
      [label],
    ),
    element("div", { class: "footnote-text" }, children),
  ]);
}

/** Whether the block belongs after the text. */
export function isFootnote(tree: Tree): boolean {
  return typeof tree === "object" && tree.attributes["class"] === "footnote";
}

function labelOf(token: Token): string {
  return String(token.meta?.["label"] ?? "");
}
