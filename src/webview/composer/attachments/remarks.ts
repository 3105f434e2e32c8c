import { t } from "@vscode/l10n";
import { create, icon, iconButton } from "../../kit/dom.ts";

/** Sentences on what could not be attached, or not as it was given; read out, and taken away by a button. */
export class Remarks {
  readonly element = create("div", { class: "remarks", role: "status" });

  constructor() {
    this.clear();
  }

  add(kind: "problem" | "remark", sentence: string): void {
    const line = create(
      "p",
      { class: kind, dir: "auto" },
      icon(kind === "problem" ? "error" : "info"),
      create("span", {}, sentence),
      iconButton("close", t("Dismiss"), () => {
        line.remove();
        this.#update();
      }),
    );
    this.element.append(line);
    this.#update();
  }

  clear(): void {
    this.element.replaceChildren();
    this.#update();
  }

  #update(): void {
    this.element.hidden = this.element.childElementCount === 0;
  }
}
