import type { SendKey } from "../../../core/panel/settings/chatPreferences.ts";
import { create } from "../dom.ts";

/** Buttons that share a single Tab stop: the arrow keys move between them. */
export function createToolbar(
  label: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly HTMLElement[]
): HTMLElement {
  const toolbar = create("div", { ...attributes, role: "toolbar", "aria-label": label }, ...children);
  for (const button of toolbar.querySelectorAll("button")) button.tabIndex = -1;
  const stop = tabStopOf(toolbar);
  if (stop !== undefined) stop.tabIndex = 0;
  return toolbar;
}

/**
 * Makes the arrow keys, Home and End move between the buttons of every toolbar inside this element. When the focus
 * leaves a toolbar, its Tab stop returns to the button that is always visible (`data-copy`, otherwise the first one),
 * because the last one used may be hidden by then.
 */
export function walkToolbars(root: HTMLElement): void {
  root.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof HTMLElement) || hasModifier(event)) return;
    const toolbar = toolbarOf(target);
    if (toolbar === undefined) return;
    const next = findNext(toolbar, target, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
  root.addEventListener("focusin", ({ target }) => {
    const toolbar = toolbarOf(target);
    if (toolbar !== undefined && target instanceof HTMLElement) moveStop(toolbar, target);
  });
  root.addEventListener("focusout", ({ target, relatedTarget }) => {
    const toolbar = toolbarOf(target);
    if (toolbar === undefined || toolbar === toolbarOf(relatedTarget)) return;
    moveStop(toolbar, tabStopOf(toolbar));
  });
}

function toolbarOf(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof HTMLElement) || !target.matches("button")) return undefined;
  return target.closest<HTMLElement>("[role=toolbar]") ?? undefined;
}

function tabStopOf(toolbar: HTMLElement): HTMLElement | undefined {
  return toolbar.querySelector<HTMLElement>("[data-copy]") ?? toolbar.querySelector("button") ?? undefined;
}

function moveStop(toolbar: HTMLElement, to: HTMLElement | undefined): void {
  for (const button of toolbar.querySelectorAll("button")) {
    const tabIndex = button === to ? 0 : -1;
    if (button.tabIndex !== tabIndex) button.tabIndex = tabIndex;
  }
}

function findNext(toolbar: HTMLElement, from: HTMLElement, key: string): HTMLElement | undefined {
  const shown = [...toolbar.querySelectorAll("button")].filter((button) => button.checkVisibility());
  if (key === "Home") return shown.at(0);
  if (key === "End") return shown.at(-1);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const isLeftToRight = getComputedStyle(toolbar).direction !== "rtl";
  const step = (key === "ArrowRight") === isLeftToRight ? 1 : -1;
  const index = shown.findIndex((button) => button === from);
  return shown[(index + step + shown.length) % shown.length];
}

/** Whether this key sends the message. Enter with Ctrl or Cmd always does; Shift+Enter never does. */
export function isSendKey(event: KeyboardEvent, sendKey: SendKey): boolean {
  // While an input method is composing, Enter chooses a candidate. Some browsers report that only by key code 229.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return false;
  return sendKey === "enter" || event.ctrlKey || event.metaKey;
}

/** Whether any modifier key is held. */
export function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}
