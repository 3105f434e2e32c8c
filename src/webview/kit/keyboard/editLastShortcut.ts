import { hasModifier } from "./keys.ts";

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
