import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import { GpuStream, gpuScript } from "../../core/servers/gpu/gpuStream.ts";
import type { GpuFrame } from "../../core/servers/gpu/gpuStream.ts";
import { gpuProblemOf } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem } from "../../core/servers/gpu/gpuWatchState.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { childEnvironment, thisPlace } from "../programs/findProgram.ts";
import { killProgram } from "../programs/programOutput.ts";

interface GpuConnectionOptions {
  /** The whole path of the user's `ssh`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly intervalSeconds: number;
  /** Milliseconds until the first values. A sick GPU can make its tool wait forever. */
  readonly patienceMs: number;
  onFrame(frame: GpuFrame): void;
  /** Called once, unless the connection was stopped. */
  onEnd(problem: GpuProblem): void;
}

/** UTF-16 code units of what `ssh` reports. */
const mostErrors = 8_000;
/** Milliseconds of silence after which the rows that have arrived are a frame. */
const silenceMs = 300;
/**
 * Minimum milliseconds between two reports, and maximum UTF-16 code units that are read in this time, however fast a
 * server sends.
 */
const restMs = 250;
const mostRead = 64_000;
/** Milliseconds for the remote tool to end once its input is closed. */
const farewellMs = 1_000;

/** One process of the user's `ssh` that reports the GPUs of a server until it is stopped. */
export class GpuConnection {
  readonly #options: GpuConnectionOptions;
  readonly #child: ChildProcess;
  readonly #stream: GpuStream;
  #errors = "";
  #hasValues = false;
  #isOver = false;
  #hasAskedForCalls = false;
  #latest: GpuFrame | undefined;
  #read = 0;
  #silence: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  readonly #patience: NodeJS.Timeout;

  constructor(options: GpuConnectionOptions) {
    this.#options = options;
    const { program, args, intervalSeconds, patienceMs } = options;
    this.#stream = new GpuStream((frame) => {
      if (this.#isOver) return;
      this.#hasValues = true;
      clearTimeout(this.#patience);
      this.#latest = frame;
    });
    // Never through a shell. No input can be requested, neither in a terminal nor in a window.
    this.#child = spawn(program, [...args], {
      cwd: homedir(),
      env: { ...childEnvironment(thisPlace()), SSH_ASKPASS_REQUIRE: "never" },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.#child;
    this.#patience = setTimeout(() => this.#finish("silent"), patienceMs);
    stdout?.setEncoding("utf8");
    stdout?.on("data", (chunk: string) => {
      if (this.#isOver) return;
      this.#stream.read(chunk);
      if (this.#stream.isFruitless) return this.#finish(gpuProblemOf(this.#stream, this.#errors));
      this.#read += chunk.length;
      if (this.#read > mostRead) stdout.pause();
      this.#rest ??= setTimeout(() => this.#report(), restMs);
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => {
        this.#stream.flush();
        this.#report();
      }, silenceMs);
    });
    stderr?.setEncoding("utf8");
    stderr?.on("data", (chunk: string) => {
      if (this.#errors.length < mostErrors) this.#errors += chunk.slice(0, mostErrors);
    });
    stdin?.on("error", () => undefined);
    // The input stays open: when it is closed, for example because this process was killed, the remote tool ends.
    stdin?.write(gpuScript(intervalSeconds));
    this.#child.on("error", (error) => this.#finish(systemCodeOf(error) === "ENOENT" ? "noSsh" : "noShell"));
    this.#child.on("close", () => {
      this.#stream.flush();
      this.#report();
      const problem = gpuProblemOf(this.#stream, this.#errors);
      this.#finish(problem === "noShell" && this.#hasValues ? "lost" : problem);
    });
  }

  /** Ends the process here and the tool on the server. Nothing is reported from now on. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#patience);
    clearTimeout(this.#silence);
    clearTimeout(this.#rest);
    // What still arrives is discarded, so that the process can end.
    this.#child.stdout?.resume();
    this.#child.stdin?.end();
    const kill = setTimeout(() => killProgram(this.#child, false, "SIGTERM"), farewellMs);
    this.#child.once("close", () => clearTimeout(kill));
  }

  /** Reports the latest frame, and continues to read. */
  #report(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#read = 0;
    this.#child.stdout?.resume();
    if (this.#stream.wantsCalls && !this.#hasAskedForCalls) {
      this.#hasAskedForCalls = true;
      this.#child.stdin?.write("calls\n");
    }
    const frame = this.#latest;
    this.#latest = undefined;
    if (frame !== undefined && !this.#isOver) this.#options.onFrame(frame);
  }

  #finish(problem: GpuProblem): void {
    if (this.#isOver) return;
    this.stop();
    this.#options.onEnd(problem);
  }
}
