import type { IconName } from "../../core/kernel/iconNames.ts";

/** Creates an element. Strings become text, never markup. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Creates an element of a drawing. */
export function createSvg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly SVGElement[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Hides or shows an element. Setting the attribute again would style the element again, even with the same value. */
export function setHidden(element: HTMLElement, isHidden: boolean): void {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** An icon from VS Code's icon font, purely decorative. */
export function icon(name: IconName): HTMLElement {
  return create("span", { class: iconClass(name), "aria-hidden": "true" });
}

/** The classes of an element that is an icon. */
export function iconClass(name: IconName): string {
  return `codicon codicon-${name}`;
}

/**
 * The classes of a button that draws its icon itself, without an element for it: for the buttons of code blocks, of
 * which a response may have thousands.
 */
export function iconButtonClass(name: IconName): string {
  return `icon-button codicon-${name}`;
}

/** A sentence with nodes in place of `{0}`, `{1}` and so on. */
export function fill(sentence: string, ...nodes: readonly Node[]): readonly (Node | string)[] {
  return sentence
    .split(/\{(\d+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : (nodes[Number(part)] ?? "")));
}

/** Names with their values, below what they explain. */
export function factList(facts: readonly { readonly label: string; readonly value: string }[]): HTMLElement {
  const rows = facts.flatMap(({ label, value }) => [
    create("dt", { dir: "auto" }, label),
    create("dd", { dir: "auto" }, value),
  ]);
  return create("dl", { class: "facts" }, ...rows);
}

/** A button with a text label. */
export function textButton(
  label: string,
  onClick: () => void,
  kind: "primary" | "secondary" = "secondary",
): HTMLElement {
  const button = create("button", { type: "button", class: `button ${kind}` }, label);
  button.addEventListener("click", onClick);
  return button;
}

/** A button that looks like a link. */
export function linkButton(label: string, onClick: () => void): HTMLElement {
  const button = create("button", { type: "button", class: "link" }, label);
  button.addEventListener("click", onClick);
  return button;
}

/** A small button with only an icon. The label is its accessible name and tooltip. */
export function iconButton(
  iconName: IconName,
  label: string,
  onClick: (click: MouseEvent) => void,
): HTMLElement {
  const button = create(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label },
    icon(iconName),
  );
  button.addEventListener("click", onClick);
  return button;
}
