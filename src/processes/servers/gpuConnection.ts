import { gpuScript } from "../../core/servers/gpu/gpuScript.ts";
import type { GpuScriptMode } from "../../core/servers/gpu/gpuScript.ts";
import { GpuStream } from "../../core/servers/gpu/gpuStream.ts";
import type { GpuFrame } from "../../core/servers/gpu/gpuStream.ts";
import { gpuProblemOf } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem } from "../../core/servers/gpu/gpuWatchState.ts";
import { RemoteSession } from "./remoteSession.ts";

interface GpuConnectionOptions {
  /** The whole path of the user's `ssh`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly intervalSeconds: number;
  readonly mode: GpuScriptMode;
  /** Milliseconds until the first values, and without new ones. A sick GPU can make its tool wait forever. */
  readonly patienceMs: number;
  onFrame(frame: GpuFrame): void;
  /** The tool that was left running stopped reporting, so that it is called again and again from now on. */
  onCalls?(): void;
  /**
   * Called once, unless the connection was stopped. Without a problem, the server was measured once, as intended.
   *
   * @param tool The tool that ran last.
   * @param errors What `ssh` and the server's shell reported.
   */
  onEnd(problem: GpuProblem | undefined, tool: string, errors: string): void;
}

/** Milliseconds of silence after which the rows that have arrived are a frame. */
const silenceMs = 300;
/** Number of tools that may fail to respond. */
const mostStalls = 2;

/** A session that reports the GPUs of a server until it is stopped. */
export class GpuConnection {
  readonly #options: GpuConnectionOptions;
  readonly #session: RemoteSession;
  readonly #stream: GpuStream;
  #hasAskedForCalls = false;
  #latest: GpuFrame | undefined;
  #silence: NodeJS.Timeout | undefined;
  #stall: NodeJS.Timeout | undefined;
  /** Number of tools in a row that were given up because they didn't respond. */
  #stalls = 0;
  #stalledTool: string | undefined;

  constructor(options: GpuConnectionOptions) {
    this.#options = options;
    const { program, args, intervalSeconds, patienceMs, mode } = options;
    this.#stream = new GpuStream((frame) => {
      this.#stalls = 0;
      this.#latest = frame;
    });
    this.#session = new RemoteSession({
      ...{ program, args, patienceMs, script: gpuScript(intervalSeconds, mode) },
      onText: (text) => this.#take(text),
      onRest: () => this.#report(),
      onEnd: (failure, errors) => this.#end(failure, errors),
    });
  }

  #end(failure: GpuProblem | undefined, errors: string): void {
    this.#clear();
    this.#stream.flush();
    this.#report();
    const { hasValues, end } = this.#stream;
    const problem = failure ?? gpuProblemOf(this.#stream, errors);
    if (failure === undefined && this.#options.mode === "once" && hasValues && end === 0)
      this.#finish(undefined);
    else this.#finish(failure === undefined && problem === "noShell" && hasValues ? "lost" : problem);
  }

  /** Ends the process here and the tool on the server. Nothing is reported from now on. */
  stop(): void {
    this.#clear();
    this.#session.stop();
  }

  #take(text: string): void {
    this.#stream.read(text);
    clearTimeout(this.#silence);
    if (this.#stream.isFruitless) {
      const problem = gpuProblemOf(this.#stream, this.#session.errors);
      this.stop();
      this.#finish(problem);
      return;
    }
    if (this.#stream.end !== undefined) {
      // A profile that waits for another shell, which has run the script, would keep the connection open.
      this.#session.stop();
      this.#end(undefined, this.#session.errors);
      return;
    }
    if (this.#stream.hasBegun) {
      this.#session.heard();
      this.#waitForValues();
    }
    const question = this.#stream.takeQuestion();
    if (question !== undefined) this.#session.send(question);
    this.#silence = setTimeout(() => {
      this.#stream.flush();
      this.#report();
    }, silenceMs);
  }

  /** A tool that doesn't respond is left for the next one. If there is none, or if it is called again, that is all. */
  #waitForValues(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.#stalledTool = this.#stream.tool;
      if (++this.#stalls > mostStalls) {
        this.stop();
        this.#finish("silent");
        return;
      }
      this.#session.send("signal");
      this.#waitForValues();
    }, this.#options.patienceMs);
  }

  #clear(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#stall);
  }

  #finish(problem: GpuProblem | undefined): void {
    this.#options.onEnd(problem, this.#stalledTool ?? this.#stream.tool, this.#session.errors);
  }

  /** Reports the latest frame. */
  #report(): void {
    if (this.#stream.wantsCalls && !this.#hasAskedForCalls && this.#options.mode === "stream") {
      this.#hasAskedForCalls = true;
      this.#session.send("signal");
      this.#options.onCalls?.();
    }
    const frame = this.#latest;
    this.#latest = undefined;
    if (frame !== undefined) this.#options.onFrame(frame);
  }
}
