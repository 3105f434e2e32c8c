// Loaded when the first finished diagram comes into view. What draws runs in a frame of its own only.
import { t } from "@vscode/l10n";
import { text as sandbox } from "text:./diagramSandbox.ts";
import { text as mermaid } from "text:mermaid/dist/mermaid.min.js";
import { isRecord } from "../../../core/kernel/json.ts";
import { create, icon, iconButton } from "../../kit/dom.ts";
import type { DiagramReply, DiagramTheme } from "./diagramMessages.ts";

/** UTF-16 units of a diagram; longer ones stay text. */
const maxLength = 20_000;

/** Draws diagrams, one at a time, in a frame of its own. */
export class DiagramRenderer {
  #frame: DiagramFrame | undefined;

  /** Shows the diagram of a code block in its place, or says there why it can't. True if it was drawn. */
  async draw(block: HTMLElement): Promise<boolean> {
    const source = block.querySelector("code")?.textContent ?? "";
    try {
      if (source.length > maxLength) throw new Error(t("The diagram is too large to render."));
      this.#frame ??= new DiagramFrame();
      const reply = await this.#frame.draw(source, readDiagramTheme());
      if ("error" in reply) throw new Error(reply.error);
      showDiagram(block, reply);
      return true;
    } catch (error) {
      // A frame that doesn't respond is done for; one that found a mistake is as good as before, but a new one is safe.
      this.#frame?.remove();
      this.#frame = undefined;
      showError(block, error instanceof Error ? error.message : "");
      return false;
    }
  }
}

/** The colors of the theme in the form that mermaid understands. */
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

/** Puts the drawing into its code block. An image with a `data:` address can neither run nor fetch anything. */
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
    button.replaceChildren(icon(isSource ? "code" : "graph"));
  });
  button.dataset["diagram"] = "toggle";
  block.querySelector(".code-actions > [data-copy]")?.before(button);
}

/** Says in the code block why there is no drawing. Its source stays. */
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

/** Milliseconds for one drawing, and for the program to start. */
const maxTime = 15_000;

/**
 * A frame of another origin than the page's, in which diagrams are drawn. It inherits the page's policy, by which it may
 * connect to nothing, and has no access to the page: text goes in and text comes out.
 */
class DiagramFrame {
  readonly #element: HTMLIFrameElement;
  readonly #isReady: Promise<void>;
  #lastId = 0;

  constructor() {
    this.#element = create("iframe", {
      class: "diagram-frame",
      sandbox: "allow-scripts",
      "aria-hidden": "true",
      tabindex: "-1",
      title: t("Diagram renderer"),
      srcdoc: skeleton(readNonce()),
    });
    this.#isReady = this.#start();
    document.body.append(this.#element);
  }

  /** Draws one diagram. Rejects when it takes too long; the frame is of no use then. */
  async draw(source: string, theme: DiagramTheme): Promise<DiagramReply> {
    await this.#isReady;
    const id = (this.#lastId += 1);
    const reply = this.#hear((data) =>
      isRecord(data) && data["id"] === id ? parseReply(data, id) : undefined,
    );
    this.#element.contentWindow?.postMessage({ id, source, theme }, "*");
    return await reply;
  }

  remove(): void {
    this.#element.remove();
  }

  async #start(): Promise<void> {
    await this.#hear((data) => (data === "waiting" ? true : undefined));
    const isReady = this.#hear((data) => (data === "ready" ? true : undefined));
    this.#element.contentWindow?.postMessage(`${mermaid}\n;${sandbox}`, "*");
    await isReady;
  }

  #hear<T>(read: (data: unknown) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        window.removeEventListener("message", onMessage);
        clearTimeout(timer);
      };
      const onMessage = (event: MessageEvent<unknown>): void => {
        if (event.source !== this.#element.contentWindow) return;
        const value = read(event.data);
        if (value === undefined) return;
        stop();
        resolve(value);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(t("The diagram took too long to render.")));
      }, maxTime);
      window.addEventListener("message", onMessage);
    });
  }
}

/** The frame inherits the page's policy, by which only a script that carries the nonce of the page's own runs. */
function readNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}

/** Nothing but a script that waits for the program: a frame of another origin can't load it itself. */
function skeleton(cspNonce: string): string {
  const nonce = cspNonce.replace(/[^\w+/=-]/g, "");
  return `<!DOCTYPE html><meta charset="utf-8"><title>Diagrams</title><body><script nonce="${nonce}">
addEventListener("message", ({ data, source }) => {
  if (source !== parent) return;
  const script = document.createElement("script");
  script.nonce = "${nonce}";
  script.textContent = data;
  document.body.append(script);
}, { once: true });
parent.postMessage("waiting", "*");
</script>`;
}

function parseReply(data: Readonly<Record<string, unknown>>, id: number): DiagramReply {
  const { svg, width, height, title, error } = data;
  if (typeof svg !== "string" || typeof width !== "number" || typeof height !== "number")
    return { id, error: typeof error === "string" ? error : "" };
  return { id, svg, width, height, title: typeof title === "string" ? title : "" };
}
