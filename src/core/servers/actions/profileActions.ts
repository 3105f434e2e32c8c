import type { Server, ServerStatus } from "../server.ts";
import { expectedText, expectedStatus, isLate } from "./expectedChange.ts";
import type { ExpectedChange } from "./expectedChange.ts";
import { appliesTo } from "./serverAction.ts";
import type { ActionKind, ServerAction } from "./serverAction.ts";

/** What can be done with the servers of a profile, and what was requested. */
export interface ProfileActions {
  /** Only those that the user has reviewed. */
  readonly actions: readonly ServerAction[];
  /** Whether a server's page in the console, or at least the console, is known. */
  readonly hasConsole: boolean;
  /** By the keys of the servers. */
  readonly changes: ReadonlyMap<string, ExpectedChange>;
}

/** For a profile without any. */
export const noActions: ProfileActions = { actions: [], hasConsole: false, changes: new Map() };

/** What a row shows in place of the status after an action. */
export interface ShownChange {
  readonly text: string;
  /** The status of its icon; undefined for the server's own. */
  readonly status: ServerStatus | undefined;
}

/** The expected change of a server in displayable form. */
export function shownChange(
  { changes }: ProfileActions,
  server: Server,
  now: number,
): ShownChange | undefined {
  const change = changes.get(server.key);
  if (change === undefined || change.serverId !== server.id?.value) return undefined;
  const status = isLate(change, now) ? undefined : expectedStatus(change);
  return { text: expectedText(change, server, now), status };
}

const words: Readonly<Record<ActionKind, string>> = {
  start: "canStart",
  stop: "canStop",
  reboot: "canReboot",
  other: "canRun",
};

/** The actions that may be sent: none while a change is expected, so that no request is sent twice by mistake. */
export function offeredActions(
  { actions, changes }: ProfileActions,
  server: Server,
  now: number,
): readonly ServerAction[] {
  const change = changes.get(server.key);
  const isWaiting = change !== undefined && change.doneAt === undefined && !isLate(change, now);
  return isWaiting ? [] : actions.filter((action) => appliesTo(action, server));
}

/** What menus may offer. */
export function actionFacts(profile: ProfileActions, server: Server, now: number): readonly string[] {
  const { actions, hasConsole, changes } = profile;
  const change = changes.get(server.key);
  return [
    ...new Set(offeredActions(profile, server, now).map(({ kind }) => words[kind])),
    ...(actions.length === 0 ? ["noActions"] : []),
    ...(hasConsole ? ["hasConsole"] : []),
    ...(change !== undefined && isLate(change, now) ? ["late"] : []),
    ...(server.status === "error" ? ["failed"] : []),
  ];
}
