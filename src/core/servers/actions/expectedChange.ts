import { t } from "@vscode/l10n";
import * as v from "valibot";
import { timeOfDay } from "../../kernel/formatTime.ts";
import type { Server, ServerStatus } from "../server.ts";
import { factText, statusLabels } from "../serverLabels.ts";
import { actionKinds, isDone } from "./serverAction.ts";
import type { ActionKind, ServerAction } from "./serverAction.ts";

const changeSchema = v.object({
  kind: v.picklist(actionKinds),
  name: v.string(),
  doneWhen: v.pipe(v.array(v.string()), v.readonly()),
  /** The ID of the server: a server that has taken its place is another one. */
  serverId: v.string(),
  /** In milliseconds since 1970. */
  requestedAt: v.number(),
  /** What a reboot changes: when the server had started, and whether the list has shown that it was not running. */
  startedAt: v.string(),
  hasLeft: v.boolean(),
  /** When the list confirmed it, in milliseconds since 1970. */
  doneAt: v.optional(v.number()),
});

/** What the list should show after an action, until it confirms or contradicts it. */
export type ExpectedChange = Readonly<v.InferOutput<typeof changeSchema>>;

/** Later than this, the list is taken to contradict what was requested. */
export const changeTimeoutMs = 10 * 60_000;
/** How long a row shows when it was stopped. */
const confirmedMs = 60 * 60_000;

/** What is expected once the request was accepted. */
export function expectChange(
  { kind, name, doneWhen }: ServerAction,
  server: Server,
  now: number,
): ExpectedChange {
  const serverId = server.id?.value ?? "";
  return { kind, name, doneWhen, serverId, requestedAt: now, startedAt: startOf(server), hasLeft: false };
}

function startOf({ startedAt, uptimeSeconds }: Server): string {
  return startedAt?.value ?? (uptimeSeconds === undefined ? "" : "uptime");
}

/** The expectation after a refresh of the list; undefined once it no longer matters. `server` is undefined if it is gone. */
export function followChange(
  change: ExpectedChange,
  server: Server | undefined,
  now: number,
): ExpectedChange | undefined {
  const { kind, doneAt, serverId, startedAt } = change;
  if (server === undefined || server.id?.value !== serverId) return undefined;
  const isReached = isDone(change, server);
  if (doneAt !== undefined) return isReached && now - doneAt < confirmedMs ? change : undefined;
  if (kind === "reboot") {
    // The server was in this state before, so that being in it proves nothing.
    const hasLeft = change.hasLeft || !isReached || startOf(server) !== startedAt;
    if (isReached && hasLeft) return undefined;
    return hasLeft === change.hasLeft ? change : { ...change, hasLeft };
  }
  if (!isReached) return server.status === "error" && kind !== "other" ? undefined : change;
  return kind === "stop" ? { ...change, doneAt: now } : undefined;
}

/** Whether the list should have shown the change by now. */
export function isLate({ requestedAt, doneAt }: ExpectedChange, now: number): boolean {
  return doneAt === undefined && now - requestedAt >= changeTimeoutMs;
}

/** The status that the row's icon shows while the change is expected. */
export function expectedStatus({ kind, doneAt }: ExpectedChange): ServerStatus | undefined {
  if (doneAt !== undefined) return undefined;
  return kind === "stop" ? "stopping" : kind === "other" ? undefined : "starting";
}

/** What the row shows in place of the status: what was requested, or that the list still doesn't show it. */
export function expectedText(change: ExpectedChange, server: Server, now: number): string {
  const { kind, name, requestedAt, doneAt } = change;
  const time = timeOfDay(requestedAt);
  if (doneAt !== undefined) return t("Stopped {0}", timeOfDay(doneAt));
  if (isLate(change, now)) {
    const status = (factText(server.statusText, 60) || statusLabels[server.status]()).toLowerCase();
    const late: Readonly<Record<ActionKind, string>> = {
      start: t("Still {0}; start was requested {1}", status, time),
      stop: t("Still {0}; stop was requested {1}", status, time),
      reboot: t("Still {0}; reboot was requested {1}", status, time),
      other: t("Still {0}; “{1}” was requested {2}", status, name, time),
    };
    return late[kind];
  }
  const waiting: Readonly<Record<ActionKind, string>> = {
    start: t("Starting (requested {0})", time),
    stop: t("Stopping (requested {0})", time),
    reboot: t("Rebooting (requested {0})", time),
    other: t("“{0}” requested {1}", name, time),
  };
  return waiting[kind];
}

/** Parses an expectation of an earlier session. */
export function parseExpectedChange(value: unknown): ExpectedChange | undefined {
  const parsed = v.safeParse(changeSchema, value);
  return parsed.success ? parsed.output : undefined;
}
