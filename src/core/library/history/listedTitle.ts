import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { shownTitle } from "../../conversation/conversationTitle.ts";
import { t } from "@vscode/l10n";
import type { SearchExtent } from "../../conversation/searchResult.ts";

/** A conversation's title for a list or a sentence: one line, without anything that reorders or hides adjacent text. */
export function listedTitle(title: string): string {
  return sanitizeLabel(shownTitle(title));
}

/** Text for a quick pick row, where `$(name)` would become an icon. */
export function pickedText(text: string): string {
  return text.replaceAll("$(", String.raw`\$(`);
}

/** A title for a notification, where `[text](command:…)` would become a link. */
export function titleForMessages(title: string): string {
  return listedTitle(title).replaceAll("](", "] (");
}

/** The title of a list of search results, which mentions if the results are incomplete. */
export function searchTitle(title: string, extent: SearchExtent): string {
  switch (extent) {
    case "all":
      return title;
    case "indexed":
      return t("{0} (older messages are still being indexed)", title);
    case "cut":
      return t("{0} (there may be more; refine the search)", title);
  }
}
