import type { Host } from "../../kit/host.ts";
import { findModalityWarning, selectModelLabel } from "../../../core/compose/attachments/modalities.ts";
import type { ModalityWarning } from "../../../core/compose/attachments/modalities.ts";
import type { Modality } from "../../../core/conversation/completion.ts";
import type { ModelPicker } from "../../../core/panel/protocol.ts";
import { create, icon, textButton } from "../../kit/dom.ts";

/** Warns near the composer before sending that the model doesn't support the attachments. */
export class UnsupportedInputNotice {
  readonly element = create("div", { class: "sense-notice", role: "status" });
  readonly #host: Host;
  #modalities: readonly Modality[] = [];
  #earlier: readonly Modality[] = [];
  #picker: ModelPicker | undefined;
  #shown: ModalityWarning | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.element.hidden = true;
  }

  showUnsupportedInput(modalities: readonly Modality[]): void {
    this.#modalities = modalities;
    this.#update();
  }

  /** The modalities that the existing messages require. */
  showConversation(modalities: readonly Modality[]): void {
    this.#earlier = modalities;
    this.#update();
  }

  showPicker(picker: ModelPicker): void {
    this.#picker = picker;
    this.#update();
  }

  #update(): void {
    // Until the list of models has arrived, nothing is known about any model.
    const { selected, models } = this.#picker?.state === "ready" ? this.#picker : { models: [] };
    const warning = findModalityWarning(this.#modalities, selected, models, this.#earlier);
    if (JSON.stringify(warning) === JSON.stringify(this.#shown)) return;
    this.#shown = warning;
    this.element.hidden = warning === undefined;
    this.element.classList.toggle("refusal", warning?.certainty === "no");
    this.element.replaceChildren(...(warning === undefined ? [] : this.#createContent(warning)));
  }

  #createContent(warning: ModalityWarning): readonly Node[] {
    const { certainty, message, modalities, hasAlternative } = warning;
    const isRefusal = certainty === "no";
    const select = textButton(
      selectModelLabel(hasAlternative),
      () => this.#host.post({ type: "pickModel", modalities }),
      isRefusal ? "primary" : "secondary",
    );
    return [
      create("p", { dir: "auto" }, icon(isRefusal ? "warning" : "info"), create("span", {}, message)),
      create("div", { class: "buttons" }, select),
    ];
  }
}
