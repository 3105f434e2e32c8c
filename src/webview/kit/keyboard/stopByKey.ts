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
