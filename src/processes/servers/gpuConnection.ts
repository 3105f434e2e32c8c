import { GpuStream, gpuScript } from "../../core/servers/gpu/gpuStream.ts";
import type { GpuFrame } from "../../core/servers/gpu/gpuStream.ts";
import { gpuProblemOf } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem } from "../../core/servers/gpu/gpuWatchState.ts";
import { RemoteSession } from "./remoteSession.ts";

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

/** Milliseconds of silence after which the rows that have arrived are a frame. */
const silenceMs = 300;

/** A session that reports the GPUs of a server until it is stopped. */
export class GpuConnection {
  readonly #options: GpuConnectionOptions;
  readonly #session: RemoteSession;
  readonly #stream: GpuStream;
  #hasValues = false;
  #hasAskedForCalls = false;
  #latest: GpuFrame | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: GpuConnectionOptions) {
    this.#options = options;
    const { program, args, intervalSeconds, patienceMs } = options;
    this.#stream = new GpuStream((frame) => {
      this.#hasValues = true;
      this.#session.heard();
      this.#latest = frame;
    });
    this.#session = new RemoteSession({
      ...{ program, args, patienceMs, script: gpuScript(intervalSeconds) },
      onText: (text) => this.#take(text),
      onRest: () => this.#report(),
      onEnd: (failure, errors) => {
        clearTimeout(this.#silence);
        this.#stream.flush();
        this.#report();
        const problem = failure ?? gpuProblemOf(this.#stream, errors);
        options.onEnd(failure === undefined && problem === "noShell" && this.#hasValues ? "lost" : problem);
      },
    });
  }

  /** Ends the process here and the tool on the server. Nothing is reported from now on. */
  stop(): void {
    clearTimeout(this.#silence);
    this.#session.stop();
  }

  #take(text: string): void {
    this.#stream.read(text);
    clearTimeout(this.#silence);
    if (this.#stream.isFruitless) {
      const problem = gpuProblemOf(this.#stream, this.#session.errors);
      this.stop();
      this.#options.onEnd(problem);
      return;
    }
    this.#silence = setTimeout(() => {
      this.#stream.flush();
      this.#report();
    }, silenceMs);
  }

  /** Reports the latest frame. */
  #report(): void {
    if (this.#stream.wantsCalls && !this.#hasAskedForCalls) {
      this.#hasAskedForCalls = true;
      this.#session.signal();
    }
    const frame = this.#latest;
    this.#latest = undefined;
    if (frame !== undefined) this.#options.onFrame(frame);
  }
}
