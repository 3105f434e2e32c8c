/** Where the keys are their own: nothing that is typed there belongs to the composer. */
const ownKeys = "input, textarea, select, audio, iframe, [contenteditable], [role=menu], [role=tree], dialog";

declare global {
  /** What was typed before this script ran (see `earlyKeys.ts`); once in the life of a page. */
  var takeEarlyKeys: (() => string) | undefined;
}

/** What the page needs of the composer. */
interface FocusTarget {
  focus(): void;
  /** Puts this where the caret is, as if it had been typed there. */
  type(text: string): void;
}

/**
 * Sees to it that the focus is never nowhere while the page has it, and that nothing typed is lost: when what had the
 * focus goes away, or the page is given the focus without a place in it, the composer gets it. A character that is
 * typed where it would mean nothing goes to the composer as well.
 */
export function keepFocus(composer: FocusTarget): void {
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // Only then is it known whether it is still there.
    requestAnimationFrame(() => {
      if (isNowhere() && document.hasFocus() && !isShown(target)) composer.focus();
    });
  });
  // A dialog gives the focus back to what had it; where that is gone, to nothing.
  document.addEventListener("close", () => void (isNowhere() && composer.focus()), { capture: true });
  window.addEventListener("focus", () => void (isNowhere() && composer.focus()));
  const follow = (event: KeyboardEvent): void => {
    // The character itself comes after this event, to whatever has the focus by then.
    if (isTyping(event, isNowhere()) && !isOwn(event.target)) composer.focus();
  };
  window.addEventListener("keydown", follow, { capture: true });
  followOuterWindow(composer);
  const early = globalThis.takeEarlyKeys?.() ?? "";
  if (early !== "") composer.type(early);
}

/** For a page that has just been filled: where VS Code has given it the focus before it could notice, it takes it. */
export function takeFocus(composer: FocusTarget): void {
  if (isNowhere() && document.hasFocus()) composer.focus();
}

/** Until the page is shown VS Code's own document around it has the focus, and gets what is typed. */
function followOuterWindow(composer: FocusTarget): void {
  const outer = window.parent;
  if (outer === window) return;
  const type = (event: KeyboardEvent): void => {
    if (event.key === " " || isTyping(event, false)) composer.type(event.key);
  };
  outer.addEventListener("keydown", type);
  window.addEventListener("pagehide", () => outer.removeEventListener("keydown", type));
}

function isNowhere(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

function isShown(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility();
}

/** A character, or the keys that paste if nothing else could take it. The space bar scrolls and presses buttons. */
function isTyping(event: KeyboardEvent, isNowhere: boolean): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, keyCode } = event;
  if (isComposing || keyCode === 229) return isNowhere;
  if ((ctrlKey || metaKey) && !altKey) return isNowhere && key.toLowerCase() === "v";
  return [...key].length === 1 && key !== " " && !ctrlKey === !altKey && !metaKey;
}

function isOwn(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(ownKeys) !== null;
}
