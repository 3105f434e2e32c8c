import { t } from "@vscode/l10n";
import { create, iconButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** Switches between the versions of a message: ‹ 2/3 ›. */
export class VersionSwitch {
  readonly element = create("div", { class: "version-switch", role: "group" });
  readonly #host: Host;
  readonly #id: string;
  readonly #counter = create("span", { class: "version-place", "aria-hidden": "true" });
  readonly #previous = iconButton("chevron-left", t("Previous Version"), () => this.#go(-1));
  readonly #next = iconButton("chevron-right", t("Next Version"), () => this.#go(1));
  readonly #compare = iconButton("diff", t("Compare with Another Version"), () =>
    this.#ask("compareVersions", this.#id),
  );
  #versions: readonly string[] = [];

  constructor(host: Host, messageId: string) {
    this.#host = host;
    this.#id = messageId;
    this.#compare.classList.add("version-compare");
    this.element.append(this.#previous, this.#counter, this.#next, this.#compare);
    this.element.hidden = true;
    this.#previous.dataset["step"] = "-1";
    this.#next.dataset["step"] = "1";
  }

  show(versions: readonly string[]): void {
    this.#versions = versions;
    const index = versions.indexOf(this.#id);
    this.element.hidden = versions.length < 2 || index === -1;
    this.#counter.textContent = `${index + 1}/${versions.length}`;
    this.element.setAttribute(
      "aria-label",
      t("Version {0} of {1}", String(index + 1), String(versions.length)),
    );
    // Not `disabled`: if a button lost the focus because it was clicked, the user would lose their position.
    this.#previous.setAttribute("aria-disabled", String(index <= 0));
    this.#next.setAttribute("aria-disabled", String(index === versions.length - 1));
  }

  #go(step: number): void {
    const other = this.#versions[this.#versions.indexOf(this.#id) + step];
    if (other !== undefined) this.#ask("selectVersion", other);
  }

  #ask(action: "selectVersion" | "compareVersions", messageId: string): void {
    this.#host.post({ type: "messageAction", action, messageId });
  }
}

/** The focused button of a version switch, if any: `-1` or `1`. */
export function focusedStep(): string | undefined {
  const focused = document.activeElement;
  return focused instanceof HTMLElement ? focused.dataset["step"] : undefined;
}

/** Restores the focus to the button that was used to switch versions. */
export function focusStep(message: Element, step: string): void {
  message.querySelector<HTMLElement>(`[data-step="${step}"]`)?.focus();
}

/** The button that starts a separate conversation with everything up to a message. A double click starts one. */
export function createForkButton(host: Host, messageId: string): HTMLElement {
  return iconButton("repo-forked", t("Fork Conversation Here"), ({ detail }) => {
    if (detail !== 2) host.post({ type: "messageAction", action: "fork", messageId });
  });
}
