import { t } from "@vscode/l10n";
import { create, iconButton } from "../../kit/dom.ts";
import type { DiagramReply } from "./diagramProtocol.ts";

export type Drawing = Extract<DiagramReply, { readonly svg: string }>;

/** Puts the drawing into its code block. A picture by a `data:` address can neither run nor fetch anything. */
export function showDiagram(block: HTMLElement, { svg, width, height, title }: Drawing): void {
  const alt = title === "" ? t("Diagram. Select “Show Source” to see its source.") : title;
  const image = create("img", {
    class: "diagram-image",
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    alt,
    width: String(Math.ceil(width)),
    height: String(Math.ceil(height)),
  });
  block.querySelector(".diagram-error")?.remove();
  const old = block.querySelector(".diagram");
  if (old !== null) return old.replaceChildren(image);
  const diagram = create("div", { class: "diagram", tabindex: "0" }, image);
  block.querySelector(".code-head")?.after(diagram);
  addToggle(block);
  block.classList.add("drawn");
}

function addToggle(block: HTMLElement): void {
  const button = iconButton("code", t("Show Source"), () => {
    const isSource = block.classList.toggle("drawn");
    const label = isSource ? t("Show Source") : t("Show Diagram");
    button.title = label;
    button.ariaLabel = label;
    button.firstElementChild?.classList.toggle("codicon-code", isSource);
    button.firstElementChild?.classList.toggle("codicon-graph", !isSource);
  });
  button.dataset["diagram"] = "toggle";
  block.querySelector(".code-actions > [data-copy]")?.before(button);
}

/** Says in the code block why there is no drawing; its source stays. */
export function showError(block: HTMLElement, reason: string): void {
  block.querySelector(".diagram")?.remove();
  block.querySelector('[data-diagram="toggle"]')?.remove();
  block.querySelector(".diagram-error")?.remove();
  block.classList.remove("drawn");
  const words = t("This diagram can't be drawn: {0}", reason);
  block
    .querySelector(".code-head")
    ?.after(create("div", { class: "diagram-error", role: "note", dir: "auto" }, words));
}
