import { isRecord } from "../../../core/kernel/json.ts";
import { t } from "@vscode/l10n";
import { create } from "../../kit/dom.ts";
import type { DiagramReply, DiagramTheme } from "./diagramProtocol.ts";

/** Milliseconds for one drawing, and for the program to start. */
const maxTime = 15_000;

/**
 * A frame of another origin than the page's, in which diagrams are drawn. It inherits the page's policy, by which it may
 * connect to nothing, and has no access to the page: text goes in and text comes out.
 */
export class DiagramFrame {
  readonly #element: HTMLIFrameElement;
  readonly #program: string;
  readonly #isReady: Promise<void>;
  #lastId = 0;

  constructor(program: string, cspNonce: string) {
    this.#program = program;
    this.#element = create("iframe", {
      class: "diagram-frame",
      sandbox: "allow-scripts",
      "aria-hidden": "true",
      tabindex: "-1",
      title: t("Diagram renderer"),
      srcdoc: skeleton(cspNonce),
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
    this.#element.contentWindow?.postMessage(this.#program, "*");
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
