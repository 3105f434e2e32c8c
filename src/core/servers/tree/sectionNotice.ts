import { t } from "@vscode/l10n";
import { remediesFor } from "../../account/remedies.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { localGatewayProfileName } from "../../account/localGateway/localGateway.ts";
import { partialText } from "./rowLabels.ts";
import type { ServerSection } from "./rows.ts";

/** A problem with the list of a profile, and what fixes it; the same in the tree and in the table. */
export interface SectionNotice {
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
