import * as v from "valibot";
import * as vscode from "vscode";
import type { RemotePlace, RemotePort, SshReport } from "../../../core/servers/connect/sshSession.ts";
import { sshProblems } from "../../../core/servers/connect/sshSession.ts";
import type { PortChoice } from "../../../core/servers/connect/listeningPorts.ts";
import type { PortRow, RowChange, ServerRow } from "../../../core/servers/tree/rows.ts";
import { SshTunnel } from "../../../processes/servers/tunnel.ts";
import type { TunnelState } from "../../../processes/servers/tunnel.ts";
import { forwardedPortsKey } from "../serversHost.ts";
import type { RemotePlaceContext } from "./remotePlace.ts";
import { remotePlaceOf } from "./remotePlace.ts";
import { showSshProblem } from "./sshProblem.ts";

const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
const storedSchema = v.object({
  ...{ profileName: v.string(), key: v.string(), localPort: port },
  choice: v.object({ remote: v.object({ host: v.string(), port }), name: v.string(), detail: v.string() }),
});

/** The part of the view with the servers that tunnels need. */
interface ServerTunnelsContext extends RemotePlaceContext {
  readonly context: RemotePlaceContext["context"] & { readonly workspaceState: vscode.Memento };
  readonly rows: {
    readonly serverRows: readonly ServerRow[];
    find(profileName: string, key: string): ServerRow | undefined;
  };
}

/** A server, whatever its row shows by now. */
type ServerKey = Pick<ServerRow, "profileName" | "key">;

/** A port that the user has forwarded. */
interface Forwarded {
  readonly server: ServerKey;
  readonly choice: PortChoice;
  readonly tunnel: SshTunnel;
  /** The rows below those of the server, which has one in each of its groups. */
  readonly rows: Map<string, PortRow>;
}

/**
 * The ports of servers that are forwarded to this machine. After the window has been reloaded or opened again, each of
 * them is connected when a program uses it.
 */
export class ServerTunnels implements vscode.Disposable {
  readonly #serversView: ServerTunnelsContext;
  readonly #emit: (change: RowChange) => void;
  readonly #forwarded = new Set<Forwarded>();

  constructor(serversView: ServerTunnelsContext, emit: (change: RowChange) => void) {
    this.#serversView = serversView;
    this.#emit = emit;
  }

  /** Listens where this window did before it was closed, except for what another program has taken. */
  async restore(): Promise<void> {
    const stored = v.safeParse(v.array(storedSchema), this.#memory.get(forwardedPortsKey));
    if (!stored.success) return;
    for (const { choice, localPort, ...server } of stored.output) {
      // The profile was removed in the meantime, or its gateway was.
      if (this.#serversView.originOf(server.profileName) === "") continue;
      const tunnel = await this.wait(server, choice.remote, localPort, () => this.#redraw(server));
      if (tunnel !== undefined) this.#forwarded.add({ server, choice, tunnel, rows: new Map() });
    }
  }

  /** Forwards a port, unless it is already, and shows it below the server. */
  async forward(
    row: ServerRow,
    choice: PortChoice,
    signal: AbortSignal,
  ): Promise<PortRow | Exclude<Awaited<ReturnType<typeof SshTunnel.open>>, SshTunnel>> {
    const find = (): PortRow | undefined => this.rowsOf(row).find(({ port }) => port === choice.remote.port);
    const before = find();
    // One that has failed is connected anew, which says why if it fails again.
    if (before?.state === "failed") this.stop(before);
    else if (before !== undefined) return before;
    const onChange = (state: TunnelState): void => {
      this.#redraw(row);
      // The first attempt is reported by the caller.
      const open = [...this.#forwarded].find((each) => each.server === row && each.choice === choice);
      if (state.kind === "failed" && open !== undefined) void this.#report(row, open.tunnel, state);
    };
    const placeOf = (): Promise<RemotePlace | undefined> => this.#placeOf(row);
    const opened = await SshTunnel.open({ remote: choice.remote, placeOf, signal, onChange });
    if (!(opened instanceof SshTunnel)) return opened;
    // It may have been forwarded by the same command while this one was connecting.
    const known = find();
    if (known !== undefined) {
      opened.stop();
      return known;
    }
    const forwarded = { server: row, choice, tunnel: opened, rows: new Map() };
    this.#forwarded.add(forwarded);
    this.#store();
    this.#redraw(row);
    return portRow(forwarded, row);
  }

  /** The ports of a server that are forwarded. The same port keeps its row, so that focus is preserved. */
  rowsOf(row: ServerRow): readonly PortRow[] {
    return [...this.#forwarded]
      .filter(({ server }) => server.profileName === row.profileName && server.key === row.key)
      .toSorted((one, other) => one.choice.remote.port - other.choice.remote.port)
      .map((forwarded) => portRow(forwarded, row));
  }

  /** All ports that are forwarded, for commands that are called without a row. */
  get rows(): readonly PortRow[] {
    return [...this.#forwarded].flatMap((forwarded) => {
      const { profileName, key } = forwarded.server;
      const row = this.#serversView.rows.find(profileName, key);
      return row === undefined ? [] : [portRow(forwarded, row)];
    });
  }

  /** Frees the port of this machine. */
  stop({ localPort }: PortRow): void {
    this.#stop(({ tunnel }) => tunnel.localPort === localPort);
  }

  /**
   * Frees the ports of servers that no longer exist: they would have no row with which the user could do that.
   * @param listed The keys of the profile's servers; absent if the profile no longer exists. A server that isn't among
   *   them exists nevertheless if it is connected.
   */
  forget(profileName: string, listed?: ReadonlySet<string>): void {
    const isThere = ({ server: { key }, tunnel }: Forwarded): boolean =>
      listed !== undefined && (listed.has(key) || tunnel.state.kind === "open");
    this.#stop((forwarded) => forwarded.server.profileName === profileName && !isThere(forwarded));
  }

  #stop(isMeant: (forwarded: Forwarded) => boolean): void {
    for (const forwarded of this.#forwarded) {
      if (!isMeant(forwarded)) continue;
      forwarded.tunnel.stop();
      this.#forwarded.delete(forwarded);
      this.#store();
      this.#redraw(forwarded.server);
    }
  }

  get #memory(): vscode.Memento {
    return this.#serversView.context.workspaceState;
  }

  #store(): void {
    const stored = [...this.#forwarded].map(({ server: { profileName, key }, choice, tunnel }) => ({
      ...{ profileName, key, choice, localPort: tunnel.localPort },
    }));
    void this.#memory.update(forwardedPortsKey, stored.length === 0 ? undefined : stored);
  }

  /** Redraws a server's rows with the ports below them. */
  #redraw({ profileName, key }: ServerKey): void {
    const { serverRows } = this.#serversView.rows;
    this.#emit(serverRows.filter((row) => row.profileName === profileName && row.key === key));
  }

  /**
   * Listens at this port of this machine, and connects when it is used. The caller stops it. Undefined if the port is
   * taken.
   */
  async wait(
    server: ServerKey,
    remote: RemotePort,
    localPort: number,
    changed?: () => void,
  ): ReturnType<typeof SshTunnel.wait> {
    const onChange = (state: TunnelState): void => {
      changed?.();
      if (state.kind === "failed" && waiting !== undefined) void this.#report(server, waiting, state);
    };
    const placeOf = (): Promise<RemotePlace | undefined> => this.#placeOf(server);
    const waiting = await SshTunnel.wait({ remote, placeOf, onChange }, localPort);
    return waiting;
  }

  dispose(): void {
    for (const { tunnel } of this.#forwarded) tunnel.stop();
    this.#forwarded.clear();
  }

  /** A port that is in use can't be connected without the user. */
  async #report(server: ServerKey, tunnel: SshTunnel, failure: SshReport): Promise<void> {
    const row = this.#serversView.rows.find(server.profileName, server.key);
    const again = vscode.l10n.t("Try Again");
    if (row !== undefined && (await showSshProblem(row, failure, { again }))) tunnel.retry();
  }

  /** The server's present address. */
  async #placeOf({ profileName, key }: ServerKey): Promise<RemotePlace | undefined> {
    const row = this.#serversView.rows.find(profileName, key);
    return row === undefined ? undefined : remotePlaceOf(this.#serversView, row);
  }
}

function portRow({ choice: { remote, name }, tunnel, rows }: Forwarded, parent: ServerRow): PortRow {
  const id = `port:${tunnel.localPort}:${parent.id}`;
  const { localPort, state } = tunnel;
  const problem = problemOf(state);
  const isOther = localPort > remote.port && localPort <= remote.port + 10;
  const local = `localhost:${localPort}`;
  const address = isOther ? vscode.l10n.t("{0} ({1} is in use)", local, String(remote.port)) : local;
  const row: PortRow = Object.assign(rows.get(id) ?? {}, {
    ...{ kind: "port" as const, id, parent, port: remote.port, localPort, problem, state: state.kind },
    address,
    title: [String(remote.port), name].filter((part) => part !== "").join(" "),
    // What changes comes first, because a narrow side bar shows only the start.
    text: [stateText(state), address].filter((part) => part !== "").join(" · "),
  });
  rows.set(id, row);
  return row;
}

function stateText(state: TunnelState): string {
  if (state.kind === "idle") return vscode.l10n.t("connects when used");
  if (state.kind === "waiting") return vscode.l10n.t("reconnecting…");
  if (state.kind === "failed") return vscode.l10n.t("disconnected");
  if (state.refusal === "forbidden") return vscode.l10n.t("not allowed by the server");
  return state.refusal === undefined ? "" : vscode.l10n.t("nothing listens on the server");
}

function problemOf(state: TunnelState): string | undefined {
  if (state.kind === "idle") return undefined;
  if (state.kind !== "open") return sshProblems[state.problem].text();
  if (state.refusal === "forbidden")
    return vscode.l10n.t("The server's SSH configuration doesn't allow port forwarding.");
  return state.refusal === undefined
    ? undefined
    : vscode.l10n.t("No program listens on this port of the server at the moment. It may still be starting.");
}
