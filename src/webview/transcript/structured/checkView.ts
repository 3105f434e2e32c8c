import type { IconName } from "../../../core/kernel/iconNames.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { t } from "@vscode/l10n";
import type { ResponseCheck } from "../../../core/responses/structured/responseCheck.ts";
import { responseJson } from "../../../core/responses/structured/responseCheck.ts";
import { create, icon, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { LiveRegion } from "../../kit/liveRegion.ts";

interface CheckViewContext {
  readonly host: Host;
  readonly liveRegion: LiveRegion;
  /** The schema that the response had to match. */
  readonly schemaName: string;
  /** The response's text. */
  readText(): string;
  act(action: "retryWithErrors" | "saveJson"): void;
}

/** The check result of a response that has to be JSON, and the actions on its value. */
export class CheckView {
  readonly elements: readonly HTMLElement[];
  /** The outcome in a sentence. */
  readonly words: string;
  readonly #context: CheckViewContext;
  readonly #retry = textButton(
    t("Retry with These Errors"),
    () => this.#context.act("retryWithErrors"),
    "primary",
  );

  constructor(check: ResponseCheck, context: CheckViewContext) {
    this.#context = context;
    this.words = describe(check, context.schemaName);
    const verdict = create("p", { class: `structured-verdict ${check.state}`, dir: "auto" });
    verdict.append(icon(verdictIcons[check.state]), create("span", {}, this.words));
    this.#retry.classList.add("idle-only");
    this.elements = [verdict, ...this.#createProblems(check), this.#createButtons(check)];
  }

  /** Only the last response can be requested again. */
  setLast(isLast: boolean): void {
    this.#retry.hidden = !isLast;
  }

  #createProblems(check: ResponseCheck): readonly HTMLElement[] {
    if (check.state !== "invalid") return [];
    const items = check.problems.map(({ path, message }) =>
      create(
        "li",
        {},
        create("code", { dir: "ltr" }, path === "" ? "/" : path),
        create("span", { dir: "auto" }, message),
      ),
    );
    const more = check.more > 0 ? [create("li", {}, t("and {0} more", formatNumber(check.more)))] : [];
    return [create("ul", { class: "structured-problems" }, ...items, ...more)];
  }

  #createButtons({ state }: ResponseCheck): HTMLElement {
    const { host } = this.#context;
    const value = [
      textButton(t("Copy JSON"), () => this.#copy(this.#json)),
      textButton(t("Insert at Cursor"), () =>
        host.post({ type: "code", action: "insert", code: this.#json, language: "json" }),
      ),
      textButton(t("Save…"), () => this.#context.act("saveJson")),
    ];
    const isWrong = state === "invalid" || state === "notJson";
    return create(
      "div",
      { class: "buttons" },
      ...(isWrong ? [this.#retry] : []),
      ...(state === "notJson" ? [] : value),
    );
  }

  get #json(): string {
    const response = responseJson(this.#context.readText());
    return response.state === "json" ? response.json : "";
  }

  #copy(text: string): void {
    this.#context.host.post({ type: "copy", text });
    this.#context.liveRegion.announce(t("Copied."));
  }
}

function describe(check: ResponseCheck, schemaName: string): string {
  switch (check.state) {
    case "valid":
      return check.hasSchema
        ? t("The response matches the schema “{0}”.", schemaName)
        : t("The response is a JSON object.");
    case "invalid": {
      const count = check.problems.length + check.more;
      return count === 1
        ? t("The response doesn't match the schema “{0}”: 1 problem.", schemaName)
        : t("The response doesn't match the schema “{0}”: {1} problems.", schemaName, formatNumber(count));
    }
    case "notJson":
      return t("The response isn't valid JSON: {0}", check.message);
    case "unchecked":
      return check.message;
  }
}

const verdictIcons: Readonly<Record<ResponseCheck["state"], IconName>> = {
  valid: "pass",
  invalid: "error",
  notJson: "error",
  unchecked: "warning",
};
