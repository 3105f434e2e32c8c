/** Goes from the mark of a footnote to the note, and back from the note to its first mark. */
export function followFootnote(button: HTMLElement): void {
  const root = button.closest(".markdown");
  const { footnoteRef, footnoteBack } = button.dataset;
  const all = [...(root?.querySelectorAll<HTMLElement>("[data-footnote], [data-footnote-ref]") ?? [])];
  const target = all.find(({ dataset }) =>
    footnoteRef === undefined
      ? isSame(dataset["footnoteRef"], footnoteBack)
      : isSame(dataset["footnote"], footnoteRef),
  );
  target?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
}

/** Labels are the same whatever their case. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.toUpperCase() === b.toUpperCase();
}
