import { hasModifier } from "./keys.ts";

/**
 * Makes Escape stop the response in progress, unless there is something to close first.
 * @param closeOpen Closes what is open; false if nothing is.
 * @param stop Stops the response; false if there is none.
 */
export function stopByKey(closeOpen: () => boolean, stop: () => boolean): void {
  window.addEventListener("keydown", (event) => {
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
