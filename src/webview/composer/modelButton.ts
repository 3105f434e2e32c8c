import { t } from "@vscode/l10n";
import type { ModelPicker } from "../../core/panel/protocol.ts";
import { create, icon } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** Shows the model and opens VS Code's own list of models. */
export class ModelButton {
  readonly element = create("button", { type: "button", class: "model-button" });
  readonly #words = create("span", { class: "model-name", dir: "auto" });
  readonly #problem = icon("warning");

  constructor(host: Host) {
    this.element.append(this.#problem, this.#words, icon("chevron-down"));
    this.element.addEventListener("click", () => host.post({ type: "action", id: "selectModel" }));
  }

  show(picker: ModelPicker): void {
    const words = describeModel(picker);
    this.#words.textContent = words;
    this.#problem.hidden = picker.state !== "failed";
    this.element.setAttribute("aria-label", t("Model: {0}", words));
    this.element.title = picker.error?.message ?? t("Select the model");
  }
}

function describeModel(picker: ModelPicker): string {
  if (picker.selected !== undefined) {
    return picker.models.find((model) => model.id === picker.selected)?.name ?? picker.selected;
  }
  if (picker.state === "notSetUp") return t("No model");
  if (picker.state === "loading") return t("Loading models…");
  return picker.state === "failed" && picker.models.length === 0
    ? t("Models unavailable")
    : t("Select a model");
}
