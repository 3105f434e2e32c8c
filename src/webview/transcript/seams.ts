import { t } from "@vscode/l10n";
import { create, icon } from "../kit/dom.ts";
import type { GrowingText } from "./growingText.ts";

/**
 * Appends the text with a mark at each place where the answer had broken off: in front of the block that was open there,
 * since the block itself goes on as if nothing had happened.
 * @param seams Offsets into the text, in UTF-16 units.
 */
export function appendWithSeams(
  target: GrowingText,
  body: Element,
  text: string,
  seams: readonly number[],
): void {
  let shown = 0;
  for (const seam of seams) {
    if (seam <= shown || seam > text.length) continue;
    target.append(text.slice(shown, seam));
    target.renderAll();
    body.lastElementChild?.lastElementChild?.before(createMark());
    shown = seam;
  }
  target.append(text.slice(shown));
}

function createMark(): HTMLElement {
  const words = t("Interrupted here, then continued");
  return create("div", { class: "seam", role: "note" }, icon("debug-continue"), create("span", {}, words));
}
