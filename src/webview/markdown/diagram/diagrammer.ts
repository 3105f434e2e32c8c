import { t } from "@vscode/l10n";
import { create, iconButton } from "../../kit/dom.ts";
import { DiagramFrame } from "./diagramFrame.ts";
import type { DiagramReply, DiagramTheme } from "./diagramProtocol.ts";

/** UTF-16 units of a diagram; longer ones stay text. */
const maxLength = 20_000;

/** Draws diagrams, one at a time, in a frame of its own. */
export class Diagrammer {
  readonly #program: string;
  readonly #cspNonce: string;
  #frame: DiagramFrame | undefined;

  /** @param program What the frame runs. */
  constructor(program: string, cspNonce: string) {
    this.#program = program;
    this.#cspNonce = cspNonce;
  }

  /** Shows the diagram of a code block in its place, or says there why it can't. True where it was drawn. */
  async draw(block: HTMLElement): Promise<boolean> {
    const source = block.querySelector("code")?.textContent ?? "";
    try {
      if (source.length > maxLength) throw new Error(t("The diagram is too large to render."));
      this.#frame ??= new DiagramFrame(this.#program, this.#cspNonce);
      const reply = await this.#frame.draw(source, readDiagramTheme());
      if ("error" in reply) throw new Error(reply.error);
      showDiagram(block, reply);
      return true;
    } catch (error) {
      // A frame that doesn't answer is done for; one that found a mistake is as good as before, but a new one is safe.
      this.#frame?.remove();
      this.#frame = undefined;
      showError(block, error instanceof Error ? error.message : "");
      return false;
    }
  }
}

/** The colours of the theme in the form that mermaid understands. */
function readDiagramTheme(): DiagramTheme {
  const probe = create("span", { class: "visually-hidden" });
  document.body.append(probe);
  const colour = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const { classList } = document.body;
  const isHighContrast =
    classList.contains("vscode-high-contrast") || classList.contains("vscode-high-contrast-light");
  const isLight = classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light");
  const background = colour("var(--vscode-editor-background)");
  const border = colour(
    "var(--vscode-contrastBorder, var(--vscode-textLink-foreground, var(--vscode-foreground)))",
  );
  const theme = {
    isDark: !isLight,
    fontFamily: getComputedStyle(document.body).fontFamily,
    fontSize: parseFloat(getComputedStyle(document.body).fontSize) || 13,
    background,
    foreground: colour("var(--vscode-foreground)"),
    fill: isHighContrast ? background : colour("var(--vscode-editorWidget-background)"),
    accentFill: isHighContrast ? background : colour("var(--vscode-input-background)"),
    border,
    line: colour("var(--vscode-descriptionForeground)"),
  };
  probe.remove();
  return theme;
}

type Drawing = Extract<DiagramReply, { readonly svg: string }>;

/** Puts the drawing into its code block. A picture by a `data:` address can neither run nor fetch anything. */
function showDiagram(block: HTMLElement, { svg, width, height, title }: Drawing): void {
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
function showError(block: HTMLElement, reason: string): void {
  block.querySelector(".diagram")?.remove();
  block.querySelector('[data-diagram="toggle"]')?.remove();
  block.querySelector(".diagram-error")?.remove();
  block.classList.remove("drawn");
  const words = t("This diagram can't be drawn: {0}", reason);
  block
    .querySelector(".code-head")
    ?.after(create("div", { class: "diagram-error", role: "note", dir: "auto" }, words));
}
