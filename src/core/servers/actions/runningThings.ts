import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatAge } from "../../kernel/formatTime.ts";
import { sshProblems } from "../connect/sshSession.ts";
import type { ServerUse } from "../gpu/serverUse.ts";
import { formatPrice } from "../serverPrice.ts";
import type { Server } from "../server.ts";
import { factText } from "../serverLabels.ts";
import type { ServerAction } from "./serverAction.ts";

/** What one source knows about what runs on a server. */
export type RunningReport =
  | {
      /** In milliseconds since 1970. */
      readonly checkedAt: number;
      /** Each in words, such as `job train.py, 3 h 12 min` or `3 processes of alice`. */
      readonly things: readonly string[];
    }
  /** Why it isn't known, as a sentence. */
  | { readonly problem: string };

/**
 * Port: reports jobs, models, transfers, windows or processes on a server. Undefined if the source has nothing to do
 * with this server.
 */
export type RunningThings = (row: {
  readonly profileName: string;
  readonly key: string;
  readonly server: Server;
}) => Promise<RunningReport | undefined>;

/** What the measurement of a watched server shows: its model servers, its own processes, and those of others. */
export function reportUse({ kind, holders, measuredAt }: ServerUse): RunningReport | undefined {
  if (measuredAt === undefined) return undefined;
  if (kind === "unreachable") return { problem: sshProblems.unreachable.text() };
  if (holders.length === 0 && kind !== "idle") return { problem: t("Its processes aren't known.") };
  const own: string[] = [];
  const others = new Map<string, number>();
  for (const { name, user, isOwn, model } of holders) {
    const shown = name ?? t("a process in a container");
    if (model !== undefined) own.push(t("{0}, serving", model || shown));
    else if (isOwn || user === undefined) own.push(shown);
    else others.set(user, (others.get(user) ?? 0) + 1);
  }
  const foreign = [...others].map(([user, count]) =>
    count === 1 ? t("1 process of {0}", user) : t("{0} processes of {1}", String(count), user),
  );
  return { checkedAt: measuredAt, things: [...new Set(own), ...foreign] };
}

const mostThings = 12;

/** What the dialog says about what runs on the server. */
function runningText(reports: readonly RunningReport[], now: number): string {
  const known = reports.filter((report) => "things" in report);
  const things = known.flatMap((report) => report.things).map((thing) => sanitizeLabel(thing, 200));
  const problems = reports.flatMap((report) => ("problem" in report ? [report.problem] : []));
  const unknown = reports.length === 0 ? [t("The server isn't watched.")] : problems;
  const unchecked = unknown.map((why) =>
    t("What runs there couldn't be checked: {0}", sanitizeLabel(why, 300)),
  );
  const age = formatAge(now - Math.min(now, ...known.map(({ checkedAt }) => checkedAt)));
  const more = things.length - mostThings;
  const list = [...things.slice(0, mostThings), ...(more > 0 ? [t("{0} more", String(more))] : [])].join(
    " · ",
  );
  return [
    ...(list === "" ? [] : [t("Running there ({0} ago): {1}", age, list)]),
    ...(list === "" && unknown.length === 0 ? [t("Nothing of yours runs there ({0} ago).", age)] : []),
    ...unchecked,
  ].join("\n");
}

/** The dialog's detail: the server, what the action means, what runs there, and the request. */
export function actionDetail(
  action: ServerAction,
  server: Server,
  {
    profileName,
    request,
    reports,
    now,
  }: {
    readonly profileName: string;
    readonly request: string;
    /** Undefined for an action that ends nothing. */
    readonly reports: readonly RunningReport[] | undefined;
    readonly now: number;
  },
): string {
  const { kind, billing, data, capacity, confirmation } = action;
  const facts = [
    factText(server.gpu),
    t("profile {0}", sanitizeLabel(profileName, 100)),
    formatPrice(server),
  ];
  const unknown = t("not described by this action");
  const isEnding = kind === "stop" || kind === "reboot";
  const effects = [
    billing === undefined && !isEnding ? "" : t("Billing: {0}", billing ?? unknown),
    data === undefined && !isEnding ? "" : t("Data: {0}", data ?? unknown),
    capacity === undefined && kind !== "stop" ? "" : t("Capacity: {0}", capacity ?? unknown),
  ];
  return [
    facts.filter((fact) => fact !== "").join(" · "),
    effects.filter((effect) => effect !== "").join("\n"),
    reports === undefined ? "" : runningText(reports, now),
    confirmation ?? "",
    request,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
