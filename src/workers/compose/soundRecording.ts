import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { bytesPerSecond } from "../../core/compose/attachments/recorders.ts";
import type { Recorder } from "../../core/compose/attachments/recorders.ts";

/** No program of the list is there, or none of them could record; `details` is what the last one said. */
export class NoRecorderError extends Error {
  readonly reason: "notFound" | "failed";
  readonly details: string;

  constructor(reason: "notFound" | "failed", details: string) {
    super(reason === "notFound" ? "No recorder was found." : `No recorder could record. ${details}`);
    this.reason = reason;
    this.details = details;
  }
}

/** Bytes of an error message that are kept. */
const maxDetails = 2_000;

/** Milliseconds within which the first samples must come: a recorder may wait for a sound server that isn't there. */
const startTime = 4_000;

/** Milliseconds that a recorder has to end by itself before it is killed. */
const endTime = 1_500;

/** A recording under way: samples come from a program of the system into memory, never onto the disk. */
export class SoundRecording {
  readonly recorder: Recorder;
  /** Resolves when the program has ended, by `stop`, at the time limit or by itself. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #chunks: Uint8Array[] = [];
  readonly #maxBytes: number;
  #bytes = 0;
  #details = "";

  private constructor(recorder: Recorder, maxSeconds: number) {
    this.recorder = recorder;
    this.#maxBytes = maxSeconds * bytesPerSecond;
    // Never through a shell, and in a folder where a program that takes an argument for a file does no harm.
    this.#child = spawn(recorder.program, [...recorder.args], {
      cwd: tmpdir(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#child.stdout?.on("data", (chunk: Uint8Array) => this.#take(chunk));
    this.#child.stderr?.on("data", (chunk: Uint8Array) => {
      if (this.#details.length < maxDetails) this.#details += Buffer.from(chunk).toString("utf8");
    });
    this.#child.on("error", (error) => (this.#details ||= error.message));
    // Follows an error, too, and comes when the last sample has been read.
    this.ended = new Promise((resolve) => this.#child.on("close", () => resolve()));
  }

  /** Tries the recorders in turn until one gives sound. Rejects with a NoRecorderError. */
  static async start(recorders: readonly Recorder[], maxSeconds: number): Promise<SoundRecording> {
    let failure: NoRecorderError = new NoRecorderError("notFound", "");
    for (const recorder of recorders) {
      const recording = new SoundRecording(recorder, maxSeconds);
      if (await recording.#begins()) return recording;
      if (recording.#child.pid !== undefined)
        failure = new NoRecorderError("failed", recording.#details.trim());
    }
    throw failure;
  }

  /** Samples that came until now. */
  get samples(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Ends the program; what it still has to say is taken in. */
  async stop(): Promise<void> {
    this.#child.kill("SIGINT");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), endTime);
    await this.ended;
    clearTimeout(timer);
  }

  /** Whether the first samples come; not where the program ends before. */
  async #begins(): Promise<boolean> {
    const { stdout } = this.#child;
    const timer = setTimeout(() => void this.stop(), startTime);
    if (stdout !== null) await Promise.race([once(stdout, "data"), this.ended]);
    clearTimeout(timer);
    return this.#bytes > 0;
  }

  #take(chunk: Uint8Array): void {
    const room = this.#maxBytes - this.#bytes;
    if (room <= 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += Math.min(room, chunk.length);
    if (this.#bytes >= this.#maxBytes) void this.stop();
  }
}
