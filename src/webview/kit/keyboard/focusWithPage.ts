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
