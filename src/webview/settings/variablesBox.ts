import { t } from "@vscode/l10n";
import { readPastedVariables } from "../../core/account/environmentProfiles.ts";
import type { ProfileVariables } from "../../core/account/environmentProfiles.ts";
import { create, textButton } from "../kit/dom.ts";
import { shortList } from "../../core/kernel/formatTime.ts";

const example = "EXAMPLE_BASE_URL=https://inference.example.com/v1\nEXAMPLE_API_KEY=…";
/** Maximum number of variable names to list. */
const longestList = 12;

/**
 * A box for a whole `.env` file. Its text contains secrets, so it is removed from the box as soon as it is read; the
 * names of the variables that were recognized, and of those that weren't, are then listed.
 */
export function createVariablesBox(onFound: (variables: ProfileVariables) => void): HTMLElement {
  const box = create("textarea", {
    id: "profile-variables",
    rows: "4",
    dir: "ltr",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: example,
    "aria-describedby": "profile-variables-hint",
  });
  const result = create("p", { class: "hint", role: "status", dir: "auto" });
  const fillIn = (): void => {
    const { value } = box;
    if (value.trim() === "") return;
    box.value = "";
    const reading = readPastedVariables(value);
    if ("problem" in reading) {
      result.textContent = reading.problem;
      return;
    }
    onFound(reading);
    const { recognized, ignored } = reading;
    const sentences = [
      t("Filled in from: {0}.", shortList(recognized, longestList, String)),
      ...(ignored.length === 0 ? [] : [t("Ignored: {0}.", shortList(ignored, longestList, String))]),
    ];
    result.textContent = sentences.join(" ");
  };
  box.addEventListener("paste", () => setTimeout(fillIn));
  // The form, whose state is kept, doesn't change.
  for (const type of ["input", "change"]) box.addEventListener(type, (event) => event.stopPropagation());
  const hint = t(
    "Known names such as EXAMPLE_BASE_URL and EXAMPLE_API_KEY are filled in below. The rest is ignored.",
  );
  return create(
    "details",
    {},
    create("summary", {}, t("Paste a .env File")),
    create(
      "div",
      { class: "field" },
      create("label", { for: box.id }, t("Variables")),
      box,
      create("p", { id: "profile-variables-hint", class: "hint" }, hint),
      create("div", { class: "buttons" }, textButton(t("Fill In"), fillIn)),
      result,
    ),
  );
}
