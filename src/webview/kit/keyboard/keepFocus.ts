import { isCharacter } from "./fieldKeys.ts";

/** Elements that handle keys themselves, so that nothing typed there belongs to the composer. */
const ownKeys = "input, textarea, select, audio, iframe, [contenteditable], [role=menu], [role=tree], dialog";

declare global {
  /** Returns what was typed before this script ran (see `pageDocument.ts`). Works once in the lifetime of a page. */
  var takeEarlyKeys: (() => string) | undefined;
}

/** What the page needs from the composer. */
interface FocusTarget {
  focus(): void;
  /** Inserts the text at the caret as if it had been typed there. */
  type(text: string): void;
}

/**
 * Makes sure that something always has the focus while the page has it, and that nothing typed is lost. If the focused
 * element disappears, or the page gets the focus without a focused element, the composer is focused. A character typed
 * where it would have no effect goes to the composer as well.
 */
export function keepFocus(composer: FocusTarget): void {
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // Only then can it be determined whether the element still exists.
    requestAnimationFrame(() => {
      if (isNowhere() && document.hasFocus() && !isShown(target)) composer.focus();
    });
  });
  // A dialog restores the focus to the previous element, or to nothing if that is gone.
  document.addEventListener("close", () => void (isNowhere() && composer.focus()), { capture: true });
  window.addEventListener("focus", () => void (isNowhere() && composer.focus()));
  const follow = (event: KeyboardEvent): void => {
    // The character itself arrives after this event, at whatever has the focus by then.
    if (isTyping(event, isNowhere()) && !isOwn(event.target)) composer.focus();
  };
  window.addEventListener("keydown", follow, { capture: true });
  followOuterWindow(composer);
  ignoreStrayClicks();
  const early = globalThis.takeEarlyKeys?.() ?? "";
  if (early !== "") composer.type(early);
}

/**
 * For a page that has just been filled: focuses the composer if VS Code focused the page before its listeners were
 * added.
 */
export function takeFocus(composer: FocusTarget): void {
  if (isNowhere() && document.hasFocus()) composer.focus();
}

/** Until the page is shown, VS Code's outer document has the focus and receives what is typed. */
function followOuterWindow(composer: FocusTarget): void {
  const outer = window.parent;
  if (outer === window) return;
  const type = (event: KeyboardEvent): void => {
    if (event.key === " " || isTyping(event, false)) composer.type(event.key);
  };
  outer.addEventListener("keydown", type);
  window.addEventListener("pagehide", () => outer.removeEventListener("keydown", type));
}

/**
 * The second click of a double click on a button that the first one has removed isn't meant for what took its place,
 * such as the button to allow the next tool call. A switch of versions is clicked several times.
 */
function ignoreStrayClicks(): void {
  let pressed: HTMLElement | null = null;
  const look = (event: MouseEvent): void => {
    const { type, detail, target } = event;
    if (detail === 2 && pressed !== null && !isShown(pressed)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (type === "mousedown")
      pressed = target instanceof Element ? target.closest<HTMLElement>("button:not([data-step])") : null;
  };
  for (const type of ["mousedown", "click"] as const)
    document.addEventListener(type, look, { capture: true });
}

function isNowhere(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

function isShown(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility();
}

/** A character, or the paste shortcut if nothing else could handle it. The space bar scrolls and presses buttons. */
function isTyping(event: KeyboardEvent, isNowhere: boolean): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, keyCode } = event;
  if (isComposing || keyCode === 229) return isNowhere;
  if ((ctrlKey || metaKey) && !altKey) return isNowhere && key.toLowerCase() === "v";
  return key !== " " && isCharacter(event);
}

function isOwn(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(ownKeys) !== null;
}

/**
 * Focuses an element in the page once VS Code has given the page the focus, which the surrounding document reports. If
 * the user has moved elsewhere while the page was loading, such as to the palette, the focus stays there, because the
 * palette would close.
 */
export function focusWithPage(focus: () => void): void {
  const outer = window.parent;
  if (outer.document.hasFocus()) focus();
  else outer.addEventListener("focus", focus, { once: true });
}
