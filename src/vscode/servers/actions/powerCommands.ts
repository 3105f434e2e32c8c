import type { TreeRow } from "../../../core/servers/tree/rows.ts";
import type { CommandName } from "../../shell/commandIds.ts";
import type { ServersView } from "../serversView.ts";
import { openServerConsole, runAction } from "./runAction.ts";
import { setUpActions } from "./setUpActions.ts";

/** Runs a command on the server of a row, or on one that the user picks. */
export async function runPowerCommand(
  name: CommandName<"power">,
  serversView: ServersView,
  row: TreeRow | undefined,
): Promise<void> {
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
