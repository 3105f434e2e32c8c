import { t } from "@vscode/l10n";
import { timeOfDay } from "../../kernel/formatTime.ts";
import type { ServerSection } from "./rows.ts";
import { serverCount, shownText } from "./rowLabels.ts";

/** Beside the view's title: how many servers there are, how many of them are shown, and how old the rows are. */
export function serversViewDescription(
  sections: readonly ServerSection[],
  shown: number,
  filter: string,
): string {
  if (sections.every(({ snapshot }) => snapshot.servers.length === 0)) return "";
  const all = serverCount(sections.map(({ snapshot }) => snapshot));
  // What is true of one profile only stands at its root where there are several.
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
