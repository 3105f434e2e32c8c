import { t } from "@vscode/l10n";
import { create, iconButton } from "../dom.ts";
import { loadBundle } from "../onDemandBundle.ts";
import type { BundleSource } from "../onDemandBundle.ts";
import { DiagramFrame } from "./diagramFrame.ts";
import { diagramEvent } from "./diagramProtocol.ts";
import type { DiagramReply } from "./diagramProtocol.ts";
import { readDiagramTheme } from "./diagramTheme.ts";

/** How far out of sight diagrams are drawn already. */
const nearness = { scrollMargin: "600px" };
/** UTF-16 units of a diagram; longer ones stay text. */
const maxLength = 20_000;

/** Shows finished diagrams as pictures, one after the other as they come near to sight, in the colours of the theme. */
export class Diagrams {
  readonly #source: BundleSource | undefined;
  readonly #observer = new IntersectionObserver((entries) => this.#onNear(entries), nearness);
  readonly #waiting: HTMLElement[] = [];
  readonly #drawn = new Set<HTMLElement>();
  #program: Promise<string> | undefined;
  #frame: DiagramFrame | undefined;
  #isDrawing = false;

  constructor(source: BundleSource | undefined) {
    this.#source = source;
    new MutationObserver(() => this.#drawAgain()).observe(document.body, { attributeFilter: ["class"] });
  }

  /** Takes the diagrams in a finished block of a message. */
  add(block: Node): void {
    if (!(block instanceof HTMLElement) || this.#source === undefined) return;
    const selector = '.code[data-language="mermaid"]';
    const found = block.matches(selector) ? [block] : block.querySelectorAll<HTMLElement>(selector);
    for (const code of found) this.#observer.observe(code);
  }

  #onNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      this.#observer.unobserve(target);
      this.#waiting.push(target);
    }
    void this.#drawAll();
  }

  /** The theme is another one: its colours are in the pictures. */
  #drawAgain(): void {
    for (const block of this.#drawn) if (block.isConnected) this.#observer.observe(block);
    this.#drawn.clear();
  }

  async #drawAll(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    for (let block = this.#waiting.shift(); block !== undefined; block = this.#waiting.shift()) {
      if (block.isConnected) await this.#draw(block);
    }
    this.#isDrawing = false;
  }

  async #draw(block: HTMLElement): Promise<void> {
    const source = block.querySelector("code")?.textContent ?? "";
    try {
      if (source.length > maxLength) throw new Error(t("The diagram is too long to be drawn."));
      const frame = await this.#openFrame();
      const reply = await frame.draw(source, readDiagramTheme());
      if ("error" in reply) throw new Error(reply.error);
      showDiagram(block, reply);
      this.#drawn.add(block);
    } catch (error) {
      // A frame that doesn't answer is done for; one that found a mistake is as good as before, but a new one is safe.
      this.#frame?.remove();
      this.#frame = undefined;
      showError(block, error instanceof Error ? error.message : "");
    }
  }

  async #openFrame(): Promise<DiagramFrame> {
    const source = this.#source;
    if (source === undefined) throw new Error("");
    this.#program ??= loadBundle(source, diagramEvent).then(({ detail }) => detail);
    this.#frame ??= new DiagramFrame(await this.#program, source.cspNonce);
    return this.#frame;
  }
}

type Drawing = Extract<DiagramReply, { readonly svg: string }>;

/** A picture by a `data:` address can neither run nor fetch anything. */
function showDiagram(block: HTMLElement, { svg, width, height, title }: Drawing): void {
  const alt = title === "" ? t("Diagram; its source is behind “Show Source”") : title;
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
