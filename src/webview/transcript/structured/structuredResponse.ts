import type { ConversationSettings } from "../../../core/conversation/conversation.ts";
import type { MessageAction } from "../../../core/panel/pageActions.ts";
import type { ResponseCheck } from "../../../core/responses/structured/responseCheck.ts";
import { responseFormat } from "../../../core/responses/structured/responseFormat.ts";
import type { ResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import { create } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { LiveRegion } from "../../kit/liveRegion.ts";
import type { CheckView } from "./checkView.ts";

interface StructuredContext {
  readonly host: Host;
  readonly liveRegion: LiveRegion;
}

/** Shown below a response that has to be JSON: whether it matches its schema, and the actions on its value. */
export class StructuredResponse {
  readonly element = create("div", { class: "structured" });
  readonly #messageId: string;
  readonly #format: ResponseFormat | undefined;
  readonly #context: StructuredContext;
  readonly #readText: () => string;
  #isLast = false;
  #isLive = false;
  #check: ResponseCheck | undefined;
  #view: CheckView | undefined;
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
   * Called when the response has ended.
   * @param isLive Whether it has just ended. Older ones are checked when they become visible.
   */
  finish(isLive: boolean): void {
    if (this.#format === undefined || this.#observer !== undefined) return;
    this.#isLive = isLive;
    this.#observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#observer?.disconnect();
      this.#act("checkResponse");
    });
    if (isLive) this.#act("checkResponse");
    else this.#observer.observe(this.element);
  }

  setLast(isLast: boolean): void {
    this.#isLast = isLast;
    this.#view?.setLast(isLast);
  }

  /** Shows the host's check result. */
  async show(check: ResponseCheck): Promise<void> {
    if (JSON.stringify(check) === JSON.stringify(this.#check)) return;
    this.#check = check;
    const { host, liveRegion } = this.#context;
    const { CheckView } = await import("./checkView.ts");
    if (this.#check !== check) return;
    const view = new CheckView(check, {
      host,
      liveRegion,
      schemaName: this.#format?.type === "jsonSchema" ? this.#format.name : "json_object",
      readText: this.#readText,
      act: (action) => this.#act(action),
    });
    view.setLast(this.#isLast);
    this.#view = view;
    this.element.replaceChildren(...view.elements);
    if (this.#isLive) liveRegion.announce(view.words);
  }

  #act(action: MessageAction): void {
    this.#context.host.post({ type: "messageAction", action, messageId: this.#messageId });
  }
}
