import { t } from "@vscode/l10n";
import type { SearchExtent } from "../../conversation/searchResult.ts";

/** The title of a list of what was found: it says where that isn't all there is. */
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
