import type { TreeTarget } from "./tree.ts";

/**
 * A very long paragraph or code block consists of parts: runs of text (runs.ts) or chunks of lines (renderCode.ts). The
 * browser skips parts that are out of view, but it still visits each sibling several times per frame. Therefore, only
 * this many are direct children of their element; the following ones are put into groups of the same size.
 */
const partsPerGroup = 24;
/** The same for the items of a list and the blocks of a quote, which are skipped only as a whole group. */
const itemsPerGroup = 64;
const partClasses: readonly string[] = ["run", "code-lines"];
const groupClass = "part-group";
const itemGroupClass = `${groupClass} items`;
/** The CSS property with the number of digits of an item's number, if there are many. */
const digitsProperty = "--digits";

/**
 * Renders into the document. `onElement` is called for every element that is created. HTML is never parsed: every node
 * is created by name.
 */
export function createDomTarget(page: Document, onElement?: (node: Element) => void): TreeTarget<Node> {
  return {
    element(name, attributes) {
      const node = page.createElement(name);
      for (const key in attributes) node.setAttribute(key, attributes[key] ?? "");
      onElement?.(node);
      return node;
    },
    text: (value) => page.createTextNode(value),
    append: (parent, child) => void roomFor(child, page, parent).appendChild(child),
    insertBefore: (next, fresh) => next.parentNode?.insertBefore(fresh, next),
    replace(old, fresh) {
      if (isItem(old) && isItem(fresh)) takePlace(old, fresh);
      old.parentNode?.replaceChild(fresh, old);
    },
    remove(node) {
      const parent = node.parentNode;
      parent?.removeChild(node);
      if (isGroup(parent) && parent.firstChild === null) removeGroup(parent);
    },
    setText(node, value, old) {
      if (!(node instanceof Text)) return;
      // Appending preserves the user's selection in the existing part.
      if (value.startsWith(old)) node.appendData(value.slice(old.length));
      else node.data = value;
    },
  };
}

/** The part after this one, or before it, in the same paragraph or code block. */
export function adjacentPart(part: Element, side: "next" | "previous"): Element | null {
  const group = part.parentElement;
  const sibling = (of: Element): Element | null =>
    side === "next" ? of.nextElementSibling : of.previousElementSibling;
  let found = sibling(part) ?? (isGroup(group) ? sibling(group) : null);
  if (isGroup(found)) found = side === "next" ? found.firstElementChild : found.lastElementChild;
  return found !== null && isPart(found) ? found : null;
}

/** The group that begins with this part. */
export function groupStartingWith(part: Element): Element | null {
  const parent = part.parentElement;
  return isGroup(parent) && parent.firstElementChild === part ? parent : null;
}

function isPart(node: Node): boolean {
  // The classes that are added later (see `RunJoiner`) come after it.
  return node instanceof Element && partClasses.includes(node.className.split(" ", 1)[0] ?? "");
}

function isGroup(node: Node | null): node is Element {
  return node instanceof Element && node.className.startsWith(groupClass);
}

function isItem(node: Node): node is HTMLLIElement {
  return node instanceof HTMLLIElement;
}

/** Where the next child belongs. */
function roomFor(child: Node, page: Document, parent: Node): Node {
  if (isPart(child))
    return (
      groupWithRoom(parent, partsPerGroup) ?? appendGroup(parent, page.createElement("span"), groupClass)
    );
  if (!isItem(child) && !(parent instanceof HTMLQuoteElement)) return parent;
  const room = groupWithRoom(parent, itemsPerGroup) ?? appendItemGroup(parent, child, page);
  if (isItem(child) && parent instanceof HTMLOListElement) indentNumber(child, numberOf(child, room, parent));
  // Only children of the list itself are its items without this.
  if (isItem(child) && room !== parent) child.role = "listitem";
  return room;
}

function appendItemGroup(parent: Node, first: Node, page: Document): Node {
  // The browser numbers the items of each group separately, because its styles are contained.
  if (isItem(first) && parent instanceof HTMLOListElement) first.value = numberAfter(parent);
  if (isItem(first) && parent instanceof HTMLElement) parent.role = "list";
  return appendGroup(parent, page.createElement("div"), itemGroupClass);
}

/** Prepares an item that is going to replace another one, which may be in a group or number it. */
function takePlace(old: HTMLLIElement, fresh: HTMLLIElement): void {
  if (old.hasAttribute("value")) fresh.value = old.value;
  fresh.role = old.role;
  const digits = old.style.getPropertyValue(digitsProperty);
  if (digits !== "") fresh.style.setProperty(digitsProperty, digits);
}

/** The number of an item that is about to be added to the list itself, or to a group of it. */
function numberOf(item: HTMLLIElement, room: Node, list: HTMLOListElement): number {
  if (item.hasAttribute("value")) return item.value;
  const { firstChild } = room;
  const first = room !== list && firstChild instanceof HTMLLIElement ? firstChild.value : list.start;
  return first + room.childNodes.length;
}

/** Numbers with this many digits fit next to the text with the usual indent. */
const usualDigits = 3;

/** Long numbers need a wider indent, which must be known before the browser lays out the item. */
function indentNumber(item: HTMLLIElement, number: number): void {
  const digits = String(number).length;
  if (digits > usualDigits) item.style.setProperty(digitsProperty, String(digits));
}

/** The list has a role only while it has groups. */
function removeGroup(group: Element): void {
  const parent = group.parentElement;
  group.remove();
  if (parent !== null && !isGroup(parent.lastElementChild)) parent.role = null;
}

/** The last group, or the element itself if it has no groups yet. Undefined if it is full. */
function groupWithRoom(parent: Node, size: number): Node | undefined {
  const last = parent.lastChild;
  const current = isGroup(last) ? last : parent;
  return current instanceof Element && current.childElementCount >= size ? undefined : current;
}

/** The number of the item that follows a list whose last group is full. */
function numberAfter(list: HTMLOListElement): number {
  const groups = list.childElementCount - itemsPerGroup;
  return list.start + (1 + groups) * itemsPerGroup;
}

function appendGroup(parent: Node, group: Element, className: string): Element {
  group.className = className;
  return parent.appendChild(group);
}
