import { t } from "@vscode/l10n";
import { timeOfDay } from "../../kernel/formatTime.ts";
import type { ServerSection } from "./rows.ts";
import { serverCount, shownText } from "./rowLabels.ts";

/** The text next to the view's title: the number of servers, how many of them are shown, and the age of the rows. */
export function serversViewDescription(
  sections: readonly ServerSection[],
  shown: number,
  filter: string,
): string {
  if (sections.every(({ snapshot }) => snapshot.servers.length === 0)) return "";
  const all = serverCount(sections.map(({ snapshot }) => snapshot));
  // If there are several profiles, what applies to only one of them is shown at its root.
  const only = sections.length === 1 ? sections[0] : undefined;
  const parts = [
    only?.isProduction === true ? t("Production") : "",
    shownText(shown, all),
    filter,
    only === undefined ? "" : ageText(only),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function ageText({ snapshot: { error, listedAt, isRestored } }: ServerSection): string {
  const isOld = error !== undefined || isRestored === true;
  return isOld && listedAt !== undefined ? t("as of {0}", timeOfDay(listedAt)) : "";
}
