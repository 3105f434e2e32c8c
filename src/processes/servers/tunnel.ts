import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  beginMark,
  forwardArguments,
  remoteScript,
  retrySeconds,
  sshProblemOf,
  sshProblems,
  tunnelArguments,
} from "../../core/servers/connect/sshSession.ts";
import type {
  RemotePlace,
  RemotePort,
  SshReport,
  SshProblem,
} from "../../core/servers/connect/sshSession.ts";
import { RemoteSession } from "./remoteSession.ts";
import { findSsh } from "./sshRoute.ts";

/** Why a server that is connected doesn't pass a connection on. */
type TunnelRefusal = "nothingListens" | "forbidden";

/** What a tunnel does at the moment. */
export type TunnelState =
  /** It hasn't been used yet. */
  | { readonly kind: "idle" }
  | { readonly kind: "open"; readonly refusal?: TunnelRefusal }
  /** It is connected again by itself. Meanwhile, connections wait for some seconds. */
  | { readonly kind: "waiting"; readonly problem: SshProblem }
  /** Only the user can help. */
  | ({ readonly kind: "failed" } & SshReport);

/** What is forwarded, and how. */
interface TunnelOptions {
  /** Asked for each connection, because the address may change. Undefined if the server has none at the moment. */
  placeOf(): Promise<RemotePlace | undefined>;
  readonly remote: RemotePort;
  readonly signal?: AbortSignal;
  onChange?(state: TunnelState): void;
  /** Only tests have another one than that of this machine. */
  readonly platform?: NodeJS.Platform;
}

const host = "127.0.0.1";
/** Milliseconds until the server must have responded, and those for which a connection waits for the tunnel. */
const patienceMs = 20_000;
const heldMs = 20_000;
/** Seconds until a lost connection is retried once it has failed often. */
const lastRetrySeconds = 300;
/** Milliseconds between two attempts that connections of the user's programs cause. */
const demandMs = 5_000;
/** How many ports after the one that is wanted are tried. */
const morePorts = 10;
const mostSockets = 256;

/**
 * Forwards a loopback port of this machine to a port of a server. The port is ours for as long as the tunnel isn't
 * stopped, so that no other program gets it during a short loss of the connection. On the server, nothing remains.
 */
export class SshTunnel {
  readonly #options: TunnelOptions;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<Socket>();
  #state: TunnelState = { kind: "idle" };
  #localPort = 0;
  #session: RemoteSession | undefined;
  /** The folder for the sockets of the present connection. */
  #folder: string | undefined;
  #way: string | number | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #triedAt = 0;
  #isConnecting = false;
  #isStopped = false;

  /** Resolves once the tunnel is open, or with the reason why it isn't. Undefined if the caller has canceled. */
  static async open(options: TunnelOptions): Promise<SshTunnel | SshReport | undefined> {
    const tunnel = new SshTunnel(options);
    const stop = (): void => tunnel.stop();
    options.signal?.addEventListener("abort", stop);
    try {
      await tunnel.#listen();
      const failed = options.signal?.aborted === true ? undefined : await tunnel.#connect();
      if (tunnel.#isStopped || options.signal?.aborted === true) {
        tunnel.stop();
        return undefined;
      }
      if (failed === undefined) return tunnel;
      tunnel.stop();
      return failed;
    } finally {
      options.signal?.removeEventListener("abort", stop);
    }
  }

  /**
   * Listens at this port of this machine only, and connects when a program of the user does. Undefined if the port is
   * taken, such as by the tunnel of another window.
   */
  static async wait(options: TunnelOptions, localPort: number): Promise<SshTunnel | undefined> {
    const tunnel = new SshTunnel(options);
    return (await tunnel.#listenAt(localPort)) ? tunnel : undefined;
  }

  private constructor(options: TunnelOptions) {
    this.#options = options;
    const listening = { pauseOnConnect: true, allowHalfOpen: true };
    this.#listener = createServer(listening, (socket) => this.#take(socket));
    this.#listener.on("error", () => undefined);
  }

  /** The port of this machine. It never changes. */
  get localPort(): number {
    return this.#localPort;
  }

  get state(): TunnelState {
    return this.#state;
  }

  /** Connects again now, if the tunnel isn't open. */
  retry(): void {
    if (this.#isStopped || this.#isConnecting || this.#session !== undefined) return;
    if (this.#state.kind === "failed") this.#change({ kind: "waiting", problem: this.#state.problem });
    void this.#connect();
  }

  /** Ends everything here and on the server. Nothing is reported from now on. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#disconnect();
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Takes the port with the number of the server's, or one of the next ones, or any. It only listens for this machine. */
  async #listen(): Promise<void> {
    const wanted = this.#options.remote.port;
    const ports = Array.from({ length: morePorts + 1 }, (_, more) => wanted + more);
    for (const port of [...ports.filter((each) => each < 65_536), 0]) {
      if (port !== 0 && (await isTaken(port))) continue;
      if (this.#isStopped || (await this.#listenAt(port))) return;
    }
  }

  #listenAt(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const listener = this.#listener;
      const failed = (): void => resolve(false);
      listener.once("error", failed).listen(port, host, () => {
        listener.off("error", failed);
        const address = listener.address();
        if (typeof address === "object" && address !== null) this.#localPort = address.port;
        resolve(true);
      });
    });
  }

  /** Resolves once the connection is open, or has failed. */
  async #connect(): Promise<SshReport | undefined> {
    this.#triedAt = Date.now();
    this.#isConnecting = true;
    clearTimeout(this.#retry);
    const { placeOf, remote, platform = process.platform } = this.#options;
    const program = findSsh();
    const [place, windowsPort] = await Promise.all([placeOf(), freePort()]);
    this.#isConnecting = false;
    if (this.#isStopped) return undefined;
    if (program === undefined) return this.#ended("noSsh", "");
    if (place === undefined) return this.#ended("unreachable", "");
    const hasControl = platform !== "win32";
    this.#folder = hasControl ? mkdtempSync(join(shortFolder(), "gpu-tunnel-")) : undefined;
    const control = this.#folder === undefined ? undefined : join(this.#folder, "c");
    const local = this.#folder === undefined ? windowsPort : join(this.#folder, "t");
    const ends = { control, local, remote };
    return new Promise((resolve) => {
      let output = "";
      let hasBegun = false;
      const opened = (): void => {
        this.#failures = 0;
        this.#way = local;
        this.#change({ kind: "open" });
        for (const socket of this.#held) this.#pass(socket, local);
        this.#held.clear();
        resolve(undefined);
      };
      const session = new RemoteSession({
        ...{ program, patienceMs, args: tunnelArguments(place, ends) },
        script: remoteScript("while :; do run sleep 3600 || exit; done"),
        onText: (text) => {
          if (hasBegun) return;
          output = (output + text).slice(-10_000);
          hasBegun = output.split("\n").includes(beginMark);
          if (!hasBegun) return;
          session.heard();
          if (control === undefined) return opened();
          execFile(program, [...forwardArguments(control, ends)], { timeout: patienceMs }, (error) => {
            if (session !== this.#session) return resolve(undefined);
            if (error === null) return opened();
            session.stop();
            resolve(this.#ended("lost", ""));
          });
        },
        onErrors: (text) => this.#refused(text),
        onEnd: (failure, errors) => {
          const problem = hasBegun ? "lost" : (failure ?? sshProblemOf(errors));
          resolve(this.#ended(problem, errors));
        },
      });
      this.#session = session;
    });
  }

  /** What the server says about a port that it can't reach. */
  #refused(text: string): void {
    const words = /open failed: (.{0,40})/.exec(text)?.[1];
    if (words === undefined || this.#state.kind !== "open") return;
    const refusal = /prohibited/.test(words) ? "forbidden" : "nothingListens";
    if (this.#state.refusal !== refusal) this.#change({ kind: "open", refusal });
  }

  #ended(problem: SshProblem, errors: string): SshReport {
    this.#disconnect();
    if (this.#isStopped) return { problem, errors };
    if (sshProblems[problem].retries === true) {
      const seconds = retrySeconds[this.#failures++] ?? lastRetrySeconds;
      this.#retry = setTimeout(() => this.retry(), seconds * 1_000);
      this.#change({ kind: "waiting", problem });
    } else {
      for (const socket of this.#held) socket.destroy();
      this.#change({ kind: "failed", problem, errors });
    }
    return { problem, errors };
  }

  #disconnect(): void {
    this.#session?.stop();
    this.#session = undefined;
    this.#way = undefined;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #change(state: TunnelState): void {
    this.#state = state;
    if (!this.#isStopped) this.#options.onChange?.(state);
  }

  /** A connection of one of the user's programs. While the tunnel isn't open, it waits. */
  #take(socket: Socket): void {
    socket.on("error", () => undefined);
    if (this.#isStopped || this.#state.kind === "failed" || this.#sockets.size >= mostSockets)
      return void socket.destroy();
    this.#sockets.add(socket);
    const timer = setTimeout(() => this.#held.has(socket) && socket.destroy(), heldMs);
    socket.once("close", () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
      this.#held.delete(socket);
    });
    if (this.#way !== undefined) return this.#pass(socket, this.#way);
    this.#held.add(socket);
    if (Date.now() - this.#triedAt > demandMs) this.retry();
  }

  #pass(near: Socket, way: string | number): void {
    const far = connect({
      ...(typeof way === "number" ? { host, port: way } : { path: way }),
      allowHalfOpen: true,
    });
    far.once("data", () => {
      if (this.#state.kind === "open" && this.#state.refusal !== undefined) this.#change({ kind: "open" });
    });
    pipe(near, far);
    pipe(far, near);
  }
}

/** What arrives at one is sent by the other, and its end is the end of the other. */
function pipe(from: Socket, to: Socket): void {
  from.on("error", () => undefined);
  from.once("close", (hasFailed) => (hasFailed ? to.destroy() : to.destroySoon()));
  from.pipe(to);
}

/** The path of a socket must be short. */
function shortFolder(): string {
  return tmpdir().length > 60 ? "/tmp" : tmpdir();
}

/** A free port of this machine, where `ssh` can't listen at a socket. */
async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Whether a program listens there, even at the other address of `localhost`, to which a browser would connect. */
async function isTaken(port: number): Promise<boolean> {
  const found = await Promise.all([host, "::1"].map((each) => accepts(each, port)));
  return found.includes(true);
}

function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1_000 });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once("connect", () => end(true))
      .once("error", () => end(false))
      .once("timeout", () => end(false));
  });
}
