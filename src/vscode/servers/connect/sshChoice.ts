import type { SshTarget } from "../../../core/servers/connect/sshTarget.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import type { Row, ServerRow } from "../../../core/servers/tree/rows.ts";
import { chooseServer } from "../chooseServer.ts";
import type { FleetView } from "../fleetView.ts";
import { mayConnect } from "./mayConnect.ts";

/** A server and the way to it. */
export interface SshChoice {
  readonly row: ServerRow;
  readonly target: SshTarget;
}

/** Looks whether the server lets anybody in; where not the user decides. */
export async function maySsh({ row, target }: SshChoice): Promise<boolean> {
  const { address, isPrivateAddress } = row.server;
  const isPrivate = isPrivateAddress === true && address?.value === target.host;
  return await mayConnect(target.host, target.port, isPrivate);
}

/** The row of the tree, or one that the user picks of those that can be reached by SSH. */
export async function chooseSshTarget(
  fleet: FleetView,
  row: Row | undefined,
): Promise<SshChoice | undefined> {
  const chosen = await chooseServer(fleet, row, (server) => sshTargetOf(server) !== undefined);
  const target = chosen === undefined ? undefined : sshTargetOf(chosen.server);
  return chosen === undefined || target === undefined ? undefined : { row: chosen, target };
}
