/**
 * Focuses something in the page once VS Code has given the page the focus, which the document around it tells. Whoever has
 * gone elsewhere while the page was loading, to the palette perhaps, keeps the focus: it would close.
 */
export function focusWithPage(focus: () => void): void {
  const outer = window.parent;
  if (outer.document.hasFocus()) focus();
  else outer.addEventListener("focus", focus, { once: true });
}
