import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { responseFormat } from "../../core/responses/structured/responseFormat.ts";
import { create, icon, iconButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Shows how many tools the conversation may use, and opens VS Code's list of them. */
export class ToolsButton {
  readonly element = create("button", { type: "button", class: "bar-button" });
  readonly #count = create("span", { class: "bar-count" });

  constructor(host: Host) {
    this.element.append(icon("tools"), this.#count);
    this.element.addEventListener("click", () => host.post({ type: "action", id: "selectTools" }));
    this.show({});
  }

  show({ tools = [] }: ConversationSettings): void {
    const words =
      tools.length === 0 ? t("Select Tools") : t("Select Tools: {0} selected", formatNumber(tools.length));
    this.element.title = words;
    this.element.setAttribute("aria-label", words);
    this.#count.textContent = tools.length === 0 ? "" : String(tools.length);
  }
}

/** Shows the response format: a button to choose one, or the chosen format with a way to remove it. */
export class FormatButton {
  readonly element = create("span", { class: "format" });
  readonly #host: Host;
  #name: string | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#show(undefined);
  }

  show(settings: ConversationSettings): void {
    const format = responseFormat(settings);
    const name =
      format === undefined ? undefined : format.type === "jsonObject" ? t("Any JSON") : format.name;
    if (name === this.#name) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#show(name);
    if (hadFocus) this.element.querySelector("button")?.focus();
  }

  #show(name: string | undefined): void {
    this.#name = name;
    this.element.classList.toggle("chip", name !== undefined);
    if (name === undefined) {
      const set = iconButton("json", t("Response Format: Text"), () => this.#ask("setResponseFormat"));
      set.className = "bar-button";
      return this.element.replaceChildren(set);
    }
    const open = create(
      "button",
      { type: "button", class: "bar-button", title: t("Response format: {0}. Select to open it.", name) },
      icon("json"),
      create("span", { class: "chip-name", dir: "auto" }, name),
    );
    open.addEventListener("click", () => this.#ask("openResponseSchema"));
    const remove = iconButton("close", t("Remove the response format {0}", name), () =>
      this.#ask("removeResponseFormat"),
    );
    remove.className = "bar-button";
    this.element.replaceChildren(open, remove);
  }

  #ask(id: "setResponseFormat" | "openResponseSchema" | "removeResponseFormat"): void {
    this.#host.post({ type: "action", id });
  }
}
