import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation.ts";
import type { MessageAction } from "../../core/protocol.ts";
import type { AnswerCheck } from "../../core/structured/answerCheck.ts";
import { answerJson } from "../../core/structured/answerJson.ts";
import { responseFormat } from "../../core/structured/responseFormat.ts";
import type { ResponseFormat } from "../../core/structured/responseFormat.ts";
import { create, icon, textButton } from "../dom.ts";
import type { Host } from "../host.ts";
import type { LiveRegion } from "../liveRegion.ts";
import type { JsonTree } from "./jsonTree.ts";
import type { CreateJsonTree } from "./jsonTreeBundle.ts";

export interface StructuredContext {
  readonly host: Host;
  readonly liveRegion: LiveRegion;
  loadJsonTree(): Promise<CreateJsonTree>;
}

/** Under an answer that had to be JSON: whether it is what was asked for, and what can be done with the value. */
export class StructuredAnswer {
  readonly element = create("div", { class: "structured" });
  readonly #messageId: string;
  readonly #format: ResponseFormat | undefined;
  readonly #context: StructuredContext;
  readonly #readText: () => string;
  #isLast = false;
  #isLive = false;
  #check: AnswerCheck | undefined;
  #retry: HTMLElement | undefined;
  #tree: JsonTree | undefined;
  #observer: IntersectionObserver | undefined;

  constructor(
    messageId: string,
    settings: ConversationSettings | undefined,
    context: StructuredContext,
    readText: () => string,
  ) {
    this.#messageId = messageId;
    this.#format = responseFormat(settings);
    this.#context = context;
    this.#readText = readText;
    this.element.hidden = this.#format === undefined;
  }

  /**
   * The answer has ended.
   * @param isLive It did so just now. Old ones are checked when they come into sight.
   */
  finish(isLive: boolean): void {
    if (this.#format === undefined || this.#observer !== undefined) return;
    this.#isLive = isLive;
    this.#observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#observer?.disconnect();
      this.#act("checkAnswer");
    });
    if (isLive) this.#act("checkAnswer");
    else this.#observer.observe(this.element);
  }

  setLast(isLast: boolean): void {
    this.#isLast = isLast;
    if (this.#retry !== undefined) this.#retry.hidden = !isLast;
  }

  /** What the host has found. */
  show(check: AnswerCheck): void {
    if (JSON.stringify(check) === JSON.stringify(this.#check)) return;
    this.#check = check;
    const verdict = create("p", { class: `structured-verdict ${check.state}`, dir: "auto" });
    verdict.append(icon(verdictIcons[check.state]), create("span", {}, this.#describe(check)));
    this.#tree = undefined;
    const tree = create("div", { class: "structured-tree" });
    tree.hidden = true;
    this.element.replaceChildren(
      verdict,
      ...this.#createProblems(check, tree),
      this.#createButtons(check, tree),
      tree,
    );
    if (this.#isLive) this.#context.liveRegion.announce(verdict.textContent ?? "");
  }

  #describe(check: AnswerCheck): string {
    switch (check.state) {
      case "valid":
        return check.hasSchema
          ? t("The answer matches the schema “{0}”.", this.#schemaName)
          : t("The answer is a JSON object.");
      case "invalid": {
        const count = check.problems.length + check.more;
        return count === 1
          ? t("The answer does not match the schema “{0}”: 1 problem.", this.#schemaName)
          : t("The answer does not match the schema “{0}”: {1} problems.", this.#schemaName, count);
      }
      case "notJson":
        return t("The answer is not valid JSON: {0}", check.message);
      case "unchecked":
        return check.message;
    }
  }

  get #schemaName(): string {
    return this.#format?.type === "jsonSchema" ? this.#format.name : "json_object";
  }

  #createProblems(check: AnswerCheck, tree: HTMLElement): readonly HTMLElement[] {
    if (check.state !== "invalid") return [];
    const items = check.problems.map(({ path, message }) => {
      const place = create(
        "button",
        { type: "button", class: "link-button", dir: "ltr" },
        path === "" ? "/" : path,
      );
      place.title = t("Show in the tree");
      place.addEventListener("click", () => {
        void this.#openTree(tree).then(() => this.#tree?.reveal(path));
      });
      return create("li", {}, place, create("span", { dir: "auto" }, message));
    });
    const more = check.more > 0 ? [create("li", {}, t("and {0} more", check.more))] : [];
    return [create("ul", { class: "structured-problems" }, ...items, ...more)];
  }

  #createButtons(check: AnswerCheck, tree: HTMLElement): HTMLElement {
    const hasValue = check.state !== "notJson";
    const retry = textButton(t("Retry with These Errors"), () => this.#act("retryWithErrors"), "primary");
    retry.classList.add("idle-only");
    retry.hidden = !this.#isLast;
    this.#retry = check.state === "invalid" || check.state === "notJson" ? retry : undefined;
    const view = textButton(t("View as Tree"), () => {
      if (tree.hidden) void this.#openTree(tree);
      else tree.hidden = true;
      view.setAttribute("aria-expanded", String(!tree.hidden));
    });
    view.setAttribute("aria-expanded", "false");
    const value = [
      view,
      textButton(t("Copy JSON"), () => this.#copy(this.#json)),
      textButton(t("Insert at Cursor"), () =>
        this.#context.host.post({ type: "code", action: "insert", code: this.#json, language: "json" }),
      ),
      textButton(t("Save…"), () => this.#act("saveJson")),
    ];
    return create(
      "div",
      { class: "buttons" },
      ...(this.#retry === undefined ? [] : [retry]),
      ...(hasValue ? value : []),
    );
  }

  async #openTree(tree: HTMLElement): Promise<void> {
    tree.hidden = false;
    if (this.#tree !== undefined) return;
    const answer = answerJson(this.#readText());
    if (answer.state === "notJson") return;
    const createTree = await this.#context.loadJsonTree();
    this.#tree ??= createTree(answer.value, (value) => this.#copy(JSON.stringify(value, undefined, 2)));
    tree.replaceChildren(this.#tree.element);
  }

  get #json(): string {
    const answer = answerJson(this.#readText());
    return answer.state === "json" ? answer.json : "";
  }

  #copy(text: string): void {
    this.#context.host.post({ type: "copy", text });
    this.#context.liveRegion.announce(t("Copied."));
  }

  #act(action: MessageAction): void {
    this.#context.host.post({ type: "messageAction", action, messageId: this.#messageId });
  }
}

const verdictIcons: Readonly<Record<AnswerCheck["state"], string>> = {
  valid: "pass",
  invalid: "error",
  notJson: "error",
  unchecked: "warning",
};
