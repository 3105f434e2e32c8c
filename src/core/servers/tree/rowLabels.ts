import { t } from "@vscode/l10n";
import { formatNumber, timeOfDay } from "../../kernel/formatTime.ts";
import type { Server } from "../server.ts";
import { shownFacts } from "../serverFacts.ts";
import { serverName, statusText } from "../serverLabels.ts";
import { runningCostsText, withShownPrice } from "../serverPrice.ts";
import type { ServerSection, GroupRow, ProfileRow, ServerRow } from "./rows.ts";

function markTexts(mark: ServerRow["mark"]): readonly string[] {
  return [
    ...(mark?.isPinned === true ? [t("pinned")] : []),
    ...(mark?.isWatched === true ? [t("watched")] : []),
    ...(mark?.isMuted === true ? [t("muted")] : []),
  ];
}

/** The number of servers, in words. */
export function countText(count: number): string {
  return count === 1 ? t("1 server") : t("{0} servers", formatNumber(count));
}

/** The number of servers. `hasMore` is set if there are more, by an unknown number. */
export interface ServerCount {
  readonly count: number;
  readonly hasMore: boolean;
}

/**
 * `5 of 12 servers` if a filter hides some or the gateway lists only a part, `12 servers` if these are all. A plus means
 * that the gateway has more servers and doesn't report how many: `12+ servers`.
 */
export function shownText(shown: number, { count, hasMore }: ServerCount): string {
  if (shown === count) return hasMore ? t("{0}+ servers", formatNumber(count)) : countText(count);
  if (hasMore) return t("{0} of {1}+ servers", formatNumber(shown), formatNumber(count));
  return count === 1
    ? t("{0} of 1 server", formatNumber(shown))
    : t("{0} of {1} servers", formatNumber(shown), formatNumber(count));
}

/** The number of servers in the accounts, which exceeds the listed ones if a gateway says so. */
export function serverCount(snapshots: readonly ServerSection["snapshot"][]): ServerCount {
  return {
    count: snapshots.reduce((sum, { servers, total }) => sum + (total ?? servers.length), 0),
    hasMore: snapshots.some(({ total, hasMore }) => hasMore === true && total === undefined),
  };
}

/** Explains that a gateway lists only some of its servers, and what helps; undefined if it lists all. */
export function partialText(snapshot: ServerSection["snapshot"]): string | undefined {
  if (snapshot.hasMore !== true) return undefined;
  const { servers, total, incomplete } = snapshot;
  const listed = shownText(servers.length, { count: total ?? servers.length, hasMore: false });
  return incomplete === undefined
    ? t(
        "The gateway has more servers, but listed only {0}. To list more, set “inferenceGateway.servers.paging” or add parameters to “serverListQuery” in the profile.",
        listed,
      )
    : t("The list is incomplete: only {0}. {1}", listed, incomplete);
}

/** The text after a profile's name. */
export function profileDescription({ section, shown }: ProfileRow): string {
  const { snapshot, isProduction, isActive } = section;
  const { state, error, listedAt } = snapshot;
  const stale = error !== undefined && listedAt !== undefined && snapshot.servers.length > 0;
  const parts = [
    isProduction ? t("Production") : "",
    isActive ? t("active") : "",
    state === "ready" || state === "empty" ? shownText(shown, serverCount([snapshot])) : "",
    runningCostsText(snapshot.servers),
    stale ? t("as of {0}", timeOfDay(listedAt)) : "",
    state === "signedOut" ? t("not signed in") : "",
    state === "failed" ? t("couldn't be listed") : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** The root of a profile as read by a screen reader. */
export function profileSpoken(row: ProfileRow): string {
  const { profileName, host } = row.section;
  const where = host === undefined ? [] : [t("gateway {0}", host)];
  return [t("Profile {0}", profileName), ...where, profileDescription(row)]
    .filter((part) => part !== "")
    .join(", ");
}

/** What screen readers announce for a group. */
export function groupSpoken({ grouping, name, text, rows }: GroupRow): string {
  return `${name.label}, ${grouping === "stopped" && text !== "" ? text : countText(rows.length)}`;
}

/** The makers of GPUs, which the hover shows: in a row, the model is enough. */
const gpuVendor = /\b(?:NVIDIA|AMD|Intel)®?(?:[ _-]|(?=\())/gi;

/** What a row says beside the status. */
function rowFacts(server: Server, places: Parameters<typeof shownFacts>[1]): ReturnType<typeof shownFacts> {
  return shownFacts(withShownPrice(server), places, 60).filter(({ name }) => name !== "statusText");
}

/** What the texts of a row depend on. */
type RowTexts = Pick<ServerRow, "server"> &
  Partial<Pick<ServerRow, "mark" | "change" | "status" | "staleSince">>;

/**
 * The text after the name: status, price, GPU, and how the user has marked the server. What changes comes first, because a
 * narrow view cuts off the end.
 */
export function rowDescription(row: RowTexts): string {
  const { server, mark, change, status = statusText(server), staleSince } = row;
  const texts = rowFacts(server, ["row"]).map(({ name, text }) => {
    if (name === "gpuUse") return change === undefined ? t("GPU {0}", text) : "";
    return name === "gpu" ? text.replace(gpuVendor, "") || text : text;
  });
  // What a running server does says more than that it runs, which its icon shows.
  const isDoing = change === undefined && server.status === "running" && server.gpuUse !== undefined;
  const parts = isDoing ? [...texts, status] : [change?.text ?? status, ...texts];
  const stale = staleSince === undefined ? "" : t("as of {0}", staleSince);
  return [...parts, stale, ...markTexts(mark)].filter((part) => part !== "").join(" · ");
}

/** The row as read by a screen reader. */
export function rowSpoken(row: RowTexts): string {
  const { server, mark, change, status = statusText(server), staleSince } = row;
  return [
    serverName(server),
    t("{0}: {1}", t("Status"), change?.text ?? status),
    ...rowFacts(server, ["row", "spoken"]).map(({ label, text }) => t("{0}: {1}", label, text)),
    ...(staleSince === undefined ? [] : [t("not refreshed since {0}", staleSince)]),
    ...markTexts(mark),
  ].join(", ");
}
