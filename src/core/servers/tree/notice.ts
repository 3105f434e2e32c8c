import { t } from "@vscode/l10n";
import { ageInWords, secondOfDay } from "../../kernel/age.ts";
import { partialText } from "./rowWords.ts";
import type { FleetSection, NoticeRow } from "./rows.ts";

type NoticeText = Pick<NoticeRow, "isFailure" | "title" | "text" | "credential">;

/**
 * What stands above the servers of a profile, or in their place. Where a profile is alone (`isAlone`) the welcome
 * content of the view tells of lists without servers. `now` is in milliseconds since 1970.
 */
export function noticeOf(
  section: FleetSection,
  shown: number,
  isAlone: boolean,
  now: number,
): NoticeText | undefined {
  const { state, servers, error, listedAt } = section.snapshot;
  if (error !== undefined && servers.length > 0) {
    const age = ageInWords(listedAt === undefined ? 0 : now - listedAt);
    return failure(t("Could not refresh"), [t("{0} old", age), ...nextTry(section), error.message]);
  }
  const partial = partialText(section.snapshot);
  if (partial !== undefined && shown > 0) return partialNotice(partial);
  if (isAlone) return undefined;
  switch (state) {
    case "signedOut":
      return { ...failure(t("Not signed in"), [error?.message ?? ""]), credential: error?.credential };
    case "failed":
      return failure(t("Could not list the servers"), [...nextTry(section), error?.message ?? ""]);
    case "empty":
      return { isFailure: false, title: t("No servers"), text: "", credential: undefined };
    case "loading":
      return { isFailure: false, title: t("Listing the servers…"), text: "", credential: undefined };
    case "ready":
      return shown > 0
        ? undefined
        : { isFailure: false, title: t("No server matches the filter"), text: "", credential: undefined };
  }
}

function partialNotice(text: string): NoticeText {
  return { isFailure: false, title: t("Incomplete list"), text, credential: undefined };
}

function failure(title: string, parts: readonly string[]): NoticeText {
  return {
    isFailure: true,
    title,
    text: parts.filter((part) => part !== "").join(" · "),
    credential: undefined,
  };
}

function nextTry({ nextTryAt }: FleetSection): readonly string[] {
  return nextTryAt === undefined ? [] : [t("retrying at {0}", secondOfDay(nextTryAt))];
}
