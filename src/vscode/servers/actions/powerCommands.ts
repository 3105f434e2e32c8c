import type { TreeRow } from "../../../core/servers/tree/rows.ts";
import type { CommandName } from "../../shell/commandIds.ts";
import type { ServerMenuContext, ServersView } from "../serversView.ts";
import { openServerConsole, runAction } from "./runAction.ts";
import { setUpActions } from "./setUpActions.ts";

/** Identifies a server for a command that isn't called from a row. */
export interface ServerReference {
  readonly profileName: string;
  readonly serverId: string;
}

/** Runs a command on the server of a row, on the one with this ID, or on one that the user picks. */
export async function runPowerCommand(
  name: CommandName<"power">,
  serversView: ServersView,
  called: TreeRow | ServerMenuContext | ServerReference | undefined,
): Promise<void> {
  const row = rowOf(serversView, called);
  if (name === "setUpServerActions") return setUpActions(serversView, row);
  if (name === "openServerConsole") return openServerConsole(serversView, row);
  return runAction(serversView, kinds[name], row);
}

const kinds = {
  startServer: "start",
  stopServer: "stop",
  rebootServer: "reboot",
  runServerAction: "other",
} as const;

function rowOf(
  serversView: ServersView,
  called: TreeRow | ServerMenuContext | ServerReference | undefined,
): TreeRow | undefined {
  if (called === undefined || !("serverId" in called)) return serversView.rowFrom(called);
  const { profileName, serverId } = called;
  const server = serversView.lists
    .find(profileName)
    ?.current.servers.find(({ id }) => id?.value === serverId);
  return server === undefined ? undefined : serversView.rows.find(profileName, server.key);
}
