import type { ModelPicker } from "../../core/protocol.ts";
import { create, icon } from "../dom.ts";
import type { Host } from "../host.ts";

/** Shows the model and opens VS Code's own list of models. */
export class ModelButton {
  readonly element = create("button", { type: "button", class: "model-button" });
  readonly #words = create("span", { class: "model-name", dir: "auto" });
  readonly #problem = icon("warning");
  #hasFailed = false;

  constructor(host: Host) {
    this.element.append(this.#problem, this.#words, icon("chevron-down"));
    this.element.addEventListener("click", () => {
      host.post({ type: "action", id: this.#hasFailed ? "refreshModels" : "selectModel" });
    });
  }

  show(picker: ModelPicker): void {
    this.#hasFailed = picker.state === "failed" && picker.models.length === 0;
    const words = describeModel(picker);
    this.#words.textContent = words;
    this.#problem.hidden = picker.state !== "failed";
    this.element.setAttribute("aria-label", `Model: ${words}`);
    this.element.title = picker.error?.message ?? "Select the model";
  }
}

function describeModel(picker: ModelPicker): string {
  if (picker.selected !== undefined) {
    return picker.models.find((model) => model.id === picker.selected)?.name ?? picker.selected;
  }
  if (picker.state === "notSetUp") return "No model";
  if (picker.state === "loading") return "Loading models…";
  return picker.state === "failed" && picker.models.length === 0 ? "Models not available" : "Select a model";
}
