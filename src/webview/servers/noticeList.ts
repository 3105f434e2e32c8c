import { t } from "@vscode/l10n";
import { formatAge, secondOfDay } from "../../core/kernel/formatTime.ts";
import type { TableNotice, TableRemedy } from "../../core/servers/table/tableNotices.ts";
import { create, icon, textButton } from "../kit/dom.ts";
import { remedyLabel } from "../../core/account/remedies.ts";

/** The current problems, each with its fix. Only new ones are announced. Ages are updated silently. */
export class NoticeList {
  readonly element = create("div", { class: "notices" });
  readonly #spoken = create("div", { class: "visually-hidden", role: "status" });
  readonly #list = create("div", {});
  readonly #onAct: (action: TableRemedy, profileName: string) => void;
  #notices: readonly TableNotice[] = [];
  #said = "";
  /** The ages, which change even if nothing else does. */
  #ages: readonly HTMLElement[] = [];

  constructor(onAct: (action: TableRemedy, profileName: string) => void) {
    this.#onAct = onAct;
    this.element.append(this.#spoken, this.#list);
  }

  show(notices: readonly TableNotice[], now: number): void {
    const said = notices.map(({ title, message }) => `${title}. ${message}`).join("\n");
    const key = JSON.stringify(notices.map((notice) => ({ ...notice, nextTryAt: 0, listedAt: 0 })));
    this.#notices = notices;
    if (key !== this.#said) {
      this.#said = key;
      this.#ages = notices.map(() => create("span", { class: "age" }));
      this.#list.replaceChildren(...notices.map((notice, index) => this.#create(notice, this.#ages[index])));
    }
    if (this.#spoken.textContent !== said) this.#spoken.textContent = said;
    this.showAges(now);
  }

  /** `now` is in milliseconds since 1970. */
  showAges(now: number): void {
    for (const [index, notice] of this.#notices.entries()) {
      const age = this.#ages[index];
      const text = ageText(notice, now);
      if (age !== undefined && age.textContent !== text) age.textContent = text;
    }
  }

  /** Focuses the first available action; false if there is none. */
  focus(): boolean {
    const button = this.#list.querySelector("button");
    button?.focus();
    return button !== null;
  }

  #create(notice: TableNotice, age: HTMLElement | undefined): HTMLElement {
    const { isFailure, title, message, actions, profileName } = notice;
    const buttons = actions.map((action, index) =>
      textButton(
        remedyLabel(action, notice),
        () => this.#onAct(action, profileName),
        index === 0 ? "primary" : "secondary",
      ),
    );
    return create(
      "div",
      { class: isFailure ? "notice failure" : "notice" },
      icon(isFailure ? "warning" : "info"),
      create(
        "div",
        { class: "words" },
        create("strong", { dir: "auto" }, title),
        ...(age === undefined ? [] : [" ", age]),
        ...(message === "" ? [] : [create("span", { class: "message", dir: "auto" }, message)]),
      ),
      create("div", { class: "buttons" }, ...buttons),
    );
  }
}

function ageText({ listedAt, nextTryAt }: TableNotice, now: number): string {
  const parts = [
    listedAt === undefined ? "" : t("{0} old", formatAge(now - listedAt)),
    nextTryAt === undefined ? "" : t("retrying at {0}", secondOfDay(nextTryAt)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
