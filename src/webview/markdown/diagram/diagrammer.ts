import { t } from "@vscode/l10n";
import { DiagramFrame } from "./diagramFrame.ts";
import { readDiagramTheme } from "./diagramTheme.ts";
import { showDiagram, showError } from "./showDiagram.ts";

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
