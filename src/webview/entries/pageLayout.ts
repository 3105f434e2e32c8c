import { t } from "@vscode/l10n";
import { create } from "../kit/dom.ts";

/** What stands where on the page, each from the top to the bottom. */
export interface PageParts {
  /** Scrolls together. */
  readonly column: readonly HTMLElement[];
  /** Lies over the end of the column. */
  readonly over: readonly HTMLElement[];
  /** Stays at the bottom. */
  readonly bottom: readonly HTMLElement[];
  /** Dialogs, and what is only heard. */
  readonly beside: readonly HTMLElement[];
}

export interface PageLayout {
  readonly scroller: HTMLElement;
  /** The content of the scroller. */
  readonly column: HTMLElement;
}

export function layOut(root: HTMLElement, parts: PageParts): PageLayout {
  const column = create("div", { class: "column" }, ...parts.column);
  const scroller = create("main", { class: "scroller" }, column);
  const writing = create(
    "section",
    { "aria-label": t("New message") },
    create("div", { class: "jump" }, ...parts.over),
    create("div", { class: "bottom" }, create("div", { class: "bottom-column" }, ...parts.bottom)),
  );
  root.replaceChildren(scroller, writing, ...parts.beside);
  return { scroller, column };
}
