// Loaded when the first finished diagram becomes visible. The drawing code runs only in a separate frame.
import { t } from "@vscode/l10n";
import { text as sandbox } from "text:./diagramSandbox.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { create, icon, iconButton } from "../../kit/dom.ts";
import type { DiagramReply, DiagramTheme } from "./diagramMessages.ts";

/** Maximum length of a diagram in UTF-16 code units. Longer ones stay text. */
const maxLength = 20_000;

/** Draws diagrams in a separate frame, one at a time. */
export class DiagramRenderer {
  #frame: DiagramFrame | undefined;

  /** Shows the diagram in place of its code block, or an error there if that fails. True if it was drawn. */
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
      // A frame that doesn't respond is unusable. One that reported an error could be reused, but a new one is safer.
      this.#frame?.remove();
      this.#frame = undefined;
      showError(block, messageOf(error));
      return false;
    }
  }
}

/** The theme's colors in a format that mermaid supports. */
function readDiagramTheme(): DiagramTheme {
  const probe = create("span", { class: "visually-hidden" });
  document.body.append(probe);
  const color = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const { classList } = document.body;
  const isHighContrast =
    classList.contains("vscode-high-contrast") || classList.contains("vscode-high-contrast-light");
  const isLight = classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light");
  const background = color("var(--vscode-editor-background)");
  const border = color(
    "var(--vscode-contrastBorder, var(--vscode-textLink-foreground, var(--vscode-foreground)))",
  );
  const theme = {
    isDark: !isLight,
    fontFamily: getComputedStyle(document.body).fontFamily,
    fontSize: parseFloat(getComputedStyle(document.body).fontSize) || 13,
    background,
    foreground: color("var(--vscode-foreground)"),
    fill: isHighContrast ? background : color("var(--vscode-editorWidget-background)"),
    accentFill: isHighContrast ? background : color("var(--vscode-input-background)"),
    border,
    line: color("var(--vscode-descriptionForeground)"),
  };
  probe.remove();
  return theme;
}

type Drawing = Extract<DiagramReply, { readonly svg: string }>;

/** Inserts the drawing into its code block. An image with a `data:` URL can neither run code nor load anything. */
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

/** Shows in the code block why there is no drawing. Its source stays visible. */
function showError(block: HTMLElement, reason: string): void {
  block.querySelector(".diagram")?.remove();
  block.querySelector('[data-diagram="toggle"]')?.remove();
  block.querySelector(".diagram-error")?.remove();
  block.classList.remove("drawn");
  const words = t("This diagram can't be rendered: {0}", reason);
  block
    .querySelector(".code-head")
    ?.after(create("div", { class: "diagram-error", role: "note", dir: "auto" }, words));
}

/** Milliseconds for one drawing, and for the program to start. */
const maxTime = 15_000;

/**
 * A frame with a different origin than the page, in which diagrams are drawn. It inherits the page's policy, which
 * allows no connections, and has no access to the page: only text is exchanged with it.
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

  /** Draws one diagram. Rejects if it takes too long, after which the frame is unusable. */
  async draw(source: string, theme: DiagramTheme): Promise<DiagramReply> {
    await this.#isReady;
    const id = (this.#lastId += 1);
    const reply = this.#receive((data) =>
      isRecord(data) && data["id"] === id ? parseReply(data, id) : undefined,
    );
    this.#element.contentWindow?.postMessage({ id, source, theme }, "*");
    return await reply;
  }

  remove(): void {
    this.#element.remove();
  }

  async #start(): Promise<void> {
    await this.#receive((data) => (data === "waiting" ? true : undefined));
    const isReady = this.#receive((data) => (data === "ready" ? true : undefined));
    this.#element.contentWindow?.postMessage(sandbox, "*");
    await isReady;
  }

  #receive<T>(read: (data: unknown) => T | undefined): Promise<T> {
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

/** The frame inherits the page's policy, which only allows scripts with the page's own nonce. */
function readNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}

/** Only a script that waits for the program: a frame with a different origin can't load it itself. */
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
