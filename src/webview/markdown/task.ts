import { t } from "@vscode/l10n";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

const marker = /^\[([ xX])\][ \t\n]/;

/** A list item; one that begins with `[ ]` or `[x]` gets a box that can't be ticked. */
export function applyTask(children: readonly Tree[]): ElementTree {
  const task = findTask(children);
  return task === undefined
    ? element("li", { dir: "auto" }, children)
    : element("li", { dir: "auto", class: "task" }, task);
}

function findTask(children: readonly Tree[]): readonly Tree[] | undefined {
  const [first, ...rest] = children;
  if (typeof first === "string") {
    const match = marker.exec(first);
    if (match === null) return undefined;
    return [checkbox(match[1] !== " "), first.slice(match[0].length), ...rest];
  }
  if (first?.name !== "p") return undefined;
  const inner = findTask(first.children);
  return inner === undefined ? undefined : [element("p", first.attributes, inner), ...rest];
}

function checkbox(isDone: boolean): ElementTree {
  const attributes = { type: "checkbox", disabled: "", "aria-label": isDone ? t("Done") : t("To do") };
  return element("input", isDone ? { ...attributes, checked: "" } : attributes);
}
