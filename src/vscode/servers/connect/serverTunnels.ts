import type * as vscode from "vscode";
import type { RemotePlace, RemotePort } from "../../../core/servers/connect/sshSession.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { SshTunnel } from "../../../processes/servers/tunnel.ts";
import type { TunnelOptions } from "../../../processes/servers/tunnel.ts";
import { remotePlaceOf } from "./remotePlace.ts";

/** The part of the view with the servers that tunnels need. */
interface ServerTunnelsContext {
  readonly rows: { find(profileName: string, key: string): ServerRow | undefined };
  readonly context: { readonly storageUri: vscode.Uri };
  originOf(profileName: string): string;
}

/** A server, whatever its row shows by now. */
type ServerKey = Pick<ServerRow, "profileName" | "key">;

/** The ports of servers that are forwarded to this machine, until the window is closed. */
export class ServerTunnels implements vscode.Disposable {
  readonly #serversView: ServerTunnelsContext;
  readonly #tunnels = new Set<SshTunnel>();

  constructor(serversView: ServerTunnelsContext) {
    this.#serversView = serversView;
  }

  /**
   * Forwards a port without a row in the tree. Resolves once it is open, or with the reason why it isn't; undefined if
   * the caller has canceled. The caller stops it.
   */
  async open(
    server: ServerKey,
    remote: RemotePort,
    options: Pick<TunnelOptions, "preferredLocalPort" | "signal" | "onChange"> = {},
  ): ReturnType<typeof SshTunnel.open> {
    const placeOf = (): Promise<RemotePlace | undefined> => this.#placeOf(server);
    const opened = await SshTunnel.open({ ...options, remote, placeOf });
    if (opened instanceof SshTunnel) this.#tunnels.add(opened);
    return opened;
  }

  dispose(): void {
    for (const tunnel of this.#tunnels) tunnel.stop();
    this.#tunnels.clear();
  }

  /** The server's present address. */
  async #placeOf({ profileName, key }: ServerKey): Promise<RemotePlace | undefined> {
    const row = this.#serversView.rows.find(profileName, key);
    return row === undefined ? undefined : remotePlaceOf(this.#serversView, row);
  }
}
