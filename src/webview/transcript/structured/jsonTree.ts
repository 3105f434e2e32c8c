import { t } from "@vscode/l10n";
import { childNodes, entryCount, nodesTo } from "../../../core/responses/structured/jsonTreeNodes.ts";
import type { JsonTreeNode } from "../../../core/responses/structured/jsonTreeNodes.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { create, icon } from "../../kit/dom.ts";

/** Maximum length of a string shown in a row, in UTF-16 code units. Copying includes all of it. */
const shownLength = 500;

/** A value as a tree that follows the keyboard pattern for trees. Rows are created when they are opened. */
export class JsonTree {
  readonly element: HTMLElement;
  readonly #onCopy: (value: unknown) => void;
  readonly #rows = new WeakMap<Element, Row>();
  readonly #root: Row;
  #active: Row;

  constructor(value: unknown, onCopy: (value: unknown) => void) {
    this.#onCopy = onCopy;
    this.#root = this.#createRow({ label: t("value"), pointer: "", value }, undefined, 1, 1);
    this.#active = this.#root;
    this.#root.element.tabIndex = 0;
    this.element = create("ul", { class: "json-tree", role: "tree", "aria-label": t("Value") });
    this.element.append(this.#root.element);
    this.#toggle(this.#root, true);
    this.element.addEventListener("click", (event) => this.#onClick(event));
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Opens all ancestors of the value at the JSON pointer, or of the nearest existing one, and moves there. */
  reveal(pointer: string): void {
    let row = this.#root;
    for (const node of nodesTo(this.#root.node, pointer).slice(1)) {
      this.#toggle(row, true);
      const next = row.children?.find(
        (child) => child.node.pointer === node.pointer && child.node.label === node.label,
      );
      if (next === undefined) break;
      row = next;
    }
    this.#focus(row);
  }

  #createRow(node: JsonTreeNode, parent: Row | undefined, position: number, count: number): Row {
    const entries = node.range === undefined ? entryCount(node.value) : node.range.end - node.range.start;
    const level = parent === undefined ? 1 : parent.level + 1;
    const element = create("li", {
      role: "treeitem",
      tabindex: "-1",
      "aria-level": String(level),
      "aria-posinset": String(position),
      "aria-setsize": String(count),
    });
    const isOpenable = entries !== undefined && entries > 0;
    if (isOpenable) element.setAttribute("aria-expanded", "false");
    const line = create(
      "span",
      { class: "json-row" },
      isOpenable ? icon("chevron-right") : create("span", { class: "json-leaf" }),
      create("span", { class: "json-name", dir: "auto" }, escapeInvisible(node.label)),
      ...describe(node, entries),
    );
    element.append(line);
    const row: Row = { node, parent, level, element, children: undefined, isOpen: false, isOpenable };
    this.#rows.set(element, row);
    return row;
  }

  #toggle(row: Row, isOpen: boolean): void {
    if (!row.isOpenable || row.isOpen === isOpen) return;
    row.isOpen = isOpen;
    row.element.setAttribute("aria-expanded", String(isOpen));
    if (row.children === undefined) {
      const nodes = childNodes(row.node);
      row.children = nodes.map((node, at) => this.#createRow(node, row, at + 1, nodes.length));
      row.element.append(create("ul", { role: "group" }, ...row.children.map(({ element }) => element)));
    }
  }

  #onClick(event: Event): void {
    const item = event.target instanceof Element ? event.target.closest("[role=treeitem]") : null;
    const row = item === null ? undefined : this.#rows.get(item);
    if (row === undefined) return;
    this.#toggle(row, !row.isOpen);
    this.#focus(row);
  }

  #onKey(event: KeyboardEvent): void {
    const isCopy = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "c";
    if (isCopy && document.getSelection()?.isCollapsed !== false) {
      event.preventDefault();
      return this.#onCopy(this.#active.node.value);
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#move(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Handles a key according to the tree pattern; false if the key isn't part of it. */
  #move(key: string): boolean {
    const row = this.#active;
    switch (key) {
      case "ArrowDown":
        return this.#focus(next(row));
      case "ArrowUp":
        return this.#focus(previous(row));
      case "ArrowRight":
        if (row.isOpenable && !row.isOpen) this.#toggle(row, true);
        else if (row.isOpen) this.#focus(row.children?.[0]);
        return true;
      case "ArrowLeft":
        if (row.isOpen) this.#toggle(row, false);
        else this.#focus(row.parent);
        return true;
      case "Home":
        return this.#focus(this.#root);
      case "End":
        return this.#focus(lastShown(this.#root));
      case "Enter":
      case " ":
        this.#toggle(row, !row.isOpen);
        return true;
      default:
        return false;
    }
  }

  #focus(row: Row | undefined): boolean {
    if (row === undefined) return true;
    this.#active.element.tabIndex = -1;
    this.#active = row;
    row.element.tabIndex = 0;
    row.element.focus();
    return true;
  }
}

interface Row {
  readonly node: JsonTreeNode;
  readonly parent: Row | undefined;
  readonly level: number;
  readonly element: HTMLElement;
  readonly isOpenable: boolean;
  children: readonly Row[] | undefined;
  isOpen: boolean;
}

function next(row: Row): Row | undefined {
  if (row.isOpen) return row.children?.[0];
  for (let at: Row | undefined = row; at?.parent !== undefined; at = at.parent) {
    const sibling = at.parent.children?.[at.parent.children.indexOf(at) + 1];
    if (sibling !== undefined) return sibling;
  }
  return undefined;
}

function previous(row: Row): Row | undefined {
  const siblings = row.parent?.children ?? [];
  const before = siblings[siblings.indexOf(row) - 1];
  return before === undefined ? row.parent : lastShown(before);
}

function lastShown(row: Row): Row {
  const last = row.isOpen ? row.children?.at(-1) : undefined;
  return last === undefined ? row : lastShown(last);
}

function describe({ value, range }: JsonTreeNode, entries: number | undefined): readonly HTMLElement[] {
  if (range !== undefined) return [];
  if (Array.isArray(value)) return [create("span", { class: "json-count" }, `[${entries ?? 0}]`)];
  if (entries !== undefined) return [create("span", { class: "json-count" }, `{${entries}}`)];
  const kind = value === null ? "null" : typeof value;
  return [create("span", { class: `json-value json-${kind}`, dir: "auto" }, scalarText(value))];
}

function scalarText(value: unknown): string {
  const text = escapeInvisible(JSON.stringify(value) ?? "null");
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}
