import { t } from "@vscode/l10n";
import { localGatewayProfileName } from "../../account/localGateway/localGateway.ts";
import { remediesFor } from "../../account/remedies.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { formatAge, secondOfDay } from "../../kernel/formatTime.ts";
import { partialText } from "./rowLabels.ts";
import type { NoticeRow, ServerSection } from "./rows.ts";

/**
 * The notice above the servers of a profile, or in their place. If there is only one profile (`isAlone`), the welcome
 * content of the view replaces the notices of lists without servers. `now` is in milliseconds since 1970.
 */
export function noticeOf(
  section: ServerSection,
  shown: number,
  isAlone: boolean,
  now: number,
): NoticeRow | undefined {
  const { profileName, snapshot } = section;
  const { state, servers, error } = snapshot;
  const row = { kind: "notice", id: `notice:${profileName}`, profileName, scheme: error?.scheme } as const;
  const notice = sectionNotice(section);
  const isStale = error !== undefined && servers.length > 0;
  if (!isStale && (state !== "ready" || shown === 0)) {
    if (isAlone) return undefined;
    if (state === "ready") {
      const title = t("No server matches the filter");
      return { ...row, isFailure: false, title, text: "", remedies: ["clearFilter"] };
    }
  }
  if (notice === undefined) return undefined;
  const { isFailure, title, message, listedAt, remedies } = notice;
  const parts = [
    ...(isStale ? [t("{0} old", formatAge(listedAt === undefined ? 0 : now - listedAt))] : []),
    ...(isStale || state === "failed" ? nextTry(section) : []),
    message,
  ];
  return { ...row, isFailure, title, text: parts.filter((part) => part !== "").join(" · "), remedies };
}

function nextTry({ nextTryAt }: ServerSection): readonly string[] {
  return nextTryAt === undefined ? [] : [t("retrying at {0}", secondOfDay(nextTryAt))];
}

/** A problem with the list of a profile, and what fixes it; the same in the tree and in the table. */
interface SectionNotice {
  readonly isFailure: boolean;
  readonly title: string;
  /** A sentence; may be empty. */
  readonly message: string;
  /** When the servers that are still shown were received, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** The most useful come first. */
  readonly remedies: readonly RemedyBy<"anywhere" | "servers">[];
}

/** Undefined if the list is complete and up to date. */
export function sectionNotice({ profileName, snapshot }: ServerSection): SectionNotice | undefined {
  const { state, error, servers, listedAt } = snapshot;
  const message = error?.message ?? "";
  const isFailure = error !== undefined;
  const isStopped = profileName === localGatewayProfileName && error?.reason === "unreachable";
  const fixes = error === undefined ? [] : remediesFor(error, "servers");
  const remedies = isStopped ? (["startLocalGateway", ...fixes] as const) : fixes;
  if (isFailure && servers.length > 0) {
    const age = listedAt === undefined ? {} : { listedAt };
    return { isFailure, title: t("Couldn't refresh"), message, remedies, ...age };
  }
  switch (state) {
    case "signedOut":
      return profileName === ""
        ? {
            isFailure,
            title: t("There is no profile yet"),
            message,
            remedies: ["addProfile", "startLocalGateway"],
          }
        : { isFailure: true, title: t("Not signed in"), message, remedies: fixes };
    case "failed":
      return { isFailure: true, title: t("Couldn't list the servers"), message, remedies };
    case "empty":
      return { isFailure, title: t("No servers"), message, remedies: ["refresh"] };
    case "loading":
      return { isFailure, title: t("Listing the servers…"), message, remedies: [] };
    case "ready": {
      const partial = partialText(snapshot);
      if (partial === undefined) return undefined;
      return { isFailure, title: t("Incomplete list"), message: partial, remedies: ["openProfiles"] };
    }
  }
}
