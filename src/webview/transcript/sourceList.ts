import { t } from "@vscode/l10n";
import type { Source } from "../../core/conversation/sources.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { create, icon } from "../kit/dom.ts";
import { hostOf, isAllowedLink } from "../markdown/links.ts";

/** The pages that a response cites. Each is named with its host, because its title comes from the page. */
export class SourceList {
  readonly element = create("details", { class: "card sources", hidden: "" });
  #shown = "";

  show(sources: readonly Source[] = []): void {
    const key = JSON.stringify(sources);
    if (key === this.#shown || (sources.length === 0 && this.#shown === "")) return;
    this.#shown = key;
    this.element.hidden = sources.length === 0;
    this.element.replaceChildren(
      create(
        "summary",
        {},
        icon("chevron-right"),
        icon("book"),
        create("span", {}, t("Sources: {0}", formatNumber(sources.length))),
      ),
      create("ol", {}, ...sources.filter(({ url }) => isAllowedLink(url)).map(createRow)),
    );
  }
}

function createRow({ url, title }: Source): HTMLElement {
  const host = hostOf(url) ?? url;
  const link = create("a", { href: url, title: url, dir: "auto" }, title ?? url);
  return create("li", {}, link, ...(title === undefined ? [] : [` (${host})`]));
}
