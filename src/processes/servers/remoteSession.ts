import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import { Readable } from "node:stream";
import type { SshProblem } from "../../core/servers/connect/sshSession.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { childEnvironment, thisPlace } from "../programs/findProgram.ts";
import { killProgram } from "../programs/programOutput.ts";

interface RemoteSessionOptions {
  /** The whole path of the user's `ssh`. */
  readonly program: string;
  readonly args: readonly string[];
  /** What the server runs, made by `remoteScript`, or by `streamScript` if there is no `onText`. */
  readonly script: string;
  /** Milliseconds until `heard` must have been called. */
  readonly patienceMs: number;
  /** Without it, `output` has to be read. */
  onText?(text: string): void;
  /** Called a few times per second while text arrives, and before the end. */
  onRest?(): void;
  /** What `ssh` and the server's shell report. */
  onErrors?(text: string): void;
  /**
   * Called once, unless the session was stopped. `failure` is undefined if the process has ended by itself; what `ssh`
   * and the server's shell reported then tells why.
   */
  onEnd(failure: SessionFailure | undefined, errors: string): void;
}

/** Why a session ended before its process did. */
type SessionFailure = Extract<SshProblem, "noSsh" | "noShell" | "noReply">;

/** UTF-16 code units of what `ssh` reports. */
const mostErrors = 8_000;
/**
 * Minimum milliseconds between two rests, and maximum UTF-16 code units that are read in this time, however fast a
 * server sends.
 */
const restMs = 250;
const mostRead = 64_000;
/** Milliseconds for the remote script to end once its input is closed. */
const farewellMs = 1_000;

/**
 * One process of the user's `ssh`, with a script of ours on the server that ends with it. Everything that the extension
 * does on a server runs through this class.
 */
export class RemoteSession {
  readonly #options: RemoteSessionOptions;
  readonly #child: ChildProcess;
  #errors = "";
  #isOver = false;
  #read = 0;
  #rest: NodeJS.Timeout | undefined;
  readonly #patience: NodeJS.Timeout;

  constructor(options: RemoteSessionOptions) {
    this.#options = options;
    const { program, args, script, patienceMs } = options;
    // Never through a shell. No input can be requested, neither in a terminal nor in a window.
    this.#child = spawn(program, [...args], {
      cwd: homedir(),
      env: { ...childEnvironment(thisPlace()), SSH_ASKPASS_REQUIRE: "never" },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const { stdin, stderr } = this.#child;
    this.#patience = setTimeout(() => this.#finish("noReply"), patienceMs);
    if (options.onText !== undefined) this.#readText(options.onText);
    stderr?.setEncoding("utf8");
    stderr?.on("data", (text: string) => {
      if (this.#errors.length < mostErrors) this.#errors += text.slice(0, mostErrors);
      if (!this.#isOver) options.onErrors?.(text);
    });
    stdin?.on("error", () => undefined);
    // The input stays open: when it is closed, for example because this process was killed, the remote script ends.
    stdin?.write(script);
    this.#child.on("error", (error) => this.#finish(systemCodeOf(error) === "ENOENT" ? "noSsh" : "noShell"));
    this.#child.on("close", () => {
      if (this.#isOver) return;
      this.#takeRest();
      this.#finish(undefined);
    });
  }

  /** What the script prints, as bytes. Whoever reads it slows the server down as needed. */
  get output(): Readable {
    return this.#child.stdout ?? Readable.from([]);
  }

  /** Sends this as the rest of the input. Resolves early if the script ends before it has read everything. */
  async sendAll(input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { stdin } = this.#child;
    // Not a pipeline: it would wait forever if the process ends, and `stop` ends its input, between two pieces.
    for await (const piece of input) {
      const error = await new Promise((resolve) => void stdin?.write(piece, resolve));
      if (error instanceof Error) return;
    }
    stdin?.end();
  }

  /** What `ssh` and the server's shell have reported so far. */
  get errors(): string {
    return this.#errors;
  }

  /** Called when the server has sent what was expected: from now on, silence is no failure. */
  heard(): void {
    clearTimeout(this.#patience);
  }

  /** Sends another line of input to the script: a signal, or a question. */
  send(line: "signal" | `ask ${string}`): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Ends the process here and the script on the server. Nothing is reported from now on. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#patience);
    clearTimeout(this.#rest);
    // What still arrives is discarded, so that the process can end.
    if (this.#options.onText === undefined) this.#child.stdout?.destroy();
    else this.#child.stdout?.resume();
    this.#child.stdin?.end();
    const kill = setTimeout(() => killProgram(this.#child, false, "SIGTERM"), farewellMs);
    this.#child.once("close", () => clearTimeout(kill));
  }

  #readText(onText: (text: string) => void): void {
    const { stdout } = this.#child;
    stdout?.setEncoding("utf8");
    stdout?.on("data", (text: string) => {
      if (this.#isOver) return;
      this.#read += text.length;
      if (this.#read > mostRead) stdout.pause();
      this.#rest ??= setTimeout(() => this.#takeRest(), restMs);
      onText(text);
    });
  }

  #takeRest(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#read = 0;
    if (this.#options.onText !== undefined) this.#child.stdout?.resume();
    this.#options.onRest?.();
  }

  #finish(failure: SessionFailure | undefined): void {
    if (this.#isOver) return;
    this.stop();
    this.#options.onEnd(failure, this.#errors);
  }
}
