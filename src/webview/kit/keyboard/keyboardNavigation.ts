import { hasModifier } from "./toolbars.ts";

/** What the keys navigate to: a message, one of the user's own messages, or a code block. */
export type TurnKind = "turn" | "own" | "code";

/** The transcript as needed for keyboard navigation. */
interface WalkedTranscript {
  readonly element: HTMLElement;
  /** The next element of this kind in conversation order, starting from an element. It may have to be built first. */
  step(kind: TurnKind, from: HTMLElement, isForward: boolean): HTMLElement | undefined;
  /** Opens the message of this element for editing, if possible. */
  edit(article: HTMLElement): void;
}

/**
 * Keyboard navigation while the focus is in the transcript: Up and Down move from message to message (a message longer
 * than the window is scrolled first), Left and Right, or Alt with Up and Down, from code block to code block, and Ctrl
 * with Up and Down between the user's own messages and, after the last one, to the composer. Home and End move to the
 * first and last message, Enter edits one of the user's own, and Escape returns to the composer.
 */
export function addKeyboardNavigation(
  transcript: WalkedTranscript,
  scroller: HTMLElement,
  leave: () => void,
): void {
  const { element } = transcript;
  element.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.defaultPrevented || event.isComposing || !(target instanceof HTMLElement)) return;
    if (target.closest("textarea, input, select, [role=menu], [role=dialog]") !== null) return;
    if (walk(event, target, transcript, scroller, leave)) event.preventDefault();
  });
}

/** Makes Ctrl+Up (Cmd+Up if the caret is at the start) move from the composer to the last message. */
export function walkFromComposer(composer: HTMLElement, { element }: WalkedTranscript): void {
  composer.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key !== "ArrowUp" || event.isComposing || !(target instanceof HTMLTextAreaElement)) return;
    const isAtStart = target.selectionStart === 0 && target.selectionEnd === 0;
    if (!isOnly(event, "ctrlKey") && !(isOnly(event, "metaKey") && isAtStart)) return;
    const last = [...element.querySelectorAll<HTMLElement>("article")].at(-1);
    if (last === undefined) return;
    event.preventDefault();
    focus(last);
  });
}

/** True if the key was handled. */
function walk(
  event: KeyboardEvent,
  target: HTMLElement,
  transcript: WalkedTranscript,
  scroller: HTMLElement,
  leave: () => void,
): boolean {
  const { element } = transcript;
  const forward = event.key === "ArrowDown" || event.key === "ArrowRight";
  const isUpOrDown = event.key === "ArrowUp" || event.key === "ArrowDown";
  const isPlain = !hasModifier(event);
  if (isUpOrDown && isOnly(event, "altKey")) return go(transcript, "code", target, forward);
  if (isUpOrDown && (isOnly(event, "ctrlKey") || isOnly(event, "metaKey"))) {
    const hasGone = go(transcript, "own", target, forward);
    if (!hasGone && forward) leave();
    return hasGone || forward;
  }
  if (!isPlain) return false;
  if (event.key === "Escape") {
    leave();
    return true;
  }
  const isTurn = target === element || target.parentElement === element;
  if (!isTurn) return isUpOrDown && !isScrollable(target) && go(transcript, "turn", target, forward);
  if (isUpOrDown) return !goesOn(target, scroller, forward) && go(transcript, "turn", target, forward);
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") return go(transcript, "code", target, forward);
  if (event.key === "Home" || event.key === "End")
    return go(transcript, "turn", element, event.key === "Home");
  if (event.key !== "Enter" || !target.matches(".user")) return false;
  transcript.edit(target);
  return true;
}

/** Moves the focus to the next element in conversation order; false if there is none. */
function go(transcript: WalkedTranscript, kind: TurnKind, from: HTMLElement, isForward: boolean): boolean {
  const next = transcript.step(kind, from, isForward);
  if (next !== undefined) focus(next);
  return next !== undefined;
}

function focus(element: HTMLElement): void {
  // Messages aren't Tab stops, because there may be a thousand of them.
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

/** Whether more of the message is hidden in this direction, so that the key scrolls. */
function goesOn(turn: HTMLElement, scroller: HTMLElement, forward: boolean): boolean {
  if (!turn.matches("article")) return false;
  const shown = scroller.getBoundingClientRect();
  const { top, bottom } = turn.getBoundingClientRect();
  return forward ? bottom > shown.bottom + 4 : top < shown.top - 4;
}

/** Code and tables handle the arrow keys themselves. */
function isScrollable(target: HTMLElement): boolean {
  return target.matches("pre, .table");
}

function isOnly(event: KeyboardEvent, modifier: "altKey" | "ctrlKey" | "metaKey"): boolean {
  const held = (["altKey", "ctrlKey", "metaKey", "shiftKey"] as const).filter((name) => event[name]);
  return held.length === 1 && held[0] === modifier;
}

/**
 * Makes Escape stop the response in progress, unless there is something to close first.
 * @param closeOpen Closes what is open; false if nothing is.
 * @param stop Stops the response, or asks for the key to be pressed again; false if there is none.
 */
export function stopByKey(closeOpen: () => boolean, stop: () => boolean): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || hasModifier(event)) return;
    if (event.target instanceof Element && event.target.closest("dialog, [role=menu]") !== null) return;
    if (closeOpen() || stop()) event.preventDefault();
  });
}

/** Up in an empty composer opens the user's last message for editing, unless a response is in progress. */
export function addEditLastShortcut(
  composer: HTMLElement,
  transcript: { readonly isBusy: boolean; editLast(): boolean },
): void {
  composer.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.defaultPrevented || event.key !== "ArrowUp" || hasModifier(event) || event.isComposing) return;
    if (!(target instanceof HTMLTextAreaElement) || target.value !== "" || transcript.isBusy) return;
    if (transcript.editLast()) event.preventDefault();
  });
}
