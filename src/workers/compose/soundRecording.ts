import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { access, constants, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { bytesPerSecond, parseDshowDevices } from "../../core/compose/attachments/recorders.ts";
import type { Recorder } from "../../core/compose/attachments/recorders.ts";

/** Milliseconds allowed for the list. */
const listTime = 5_000;

/** Whether any of the programs is in a folder of the search path. Starts none of them. */
export async function hasRecorder(
  programs: readonly string[],
  searchPath = process.env["PATH"] ?? "",
): Promise<boolean> {
  const isWindows = process.platform === "win32";
  const names = [...new Set(programs)].map((program) => (isWindows ? `${program}.exe` : program));
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isProgram(path)) return true;
  return false;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The name that ffmpeg uses for the first microphone of a Windows machine; empty if none is found. */
export function findWindowsMicrophone(): Promise<string> {
  const args = ["-hide_banner", "-nostdin", "-list_devices", "true", "-f", "dshow", "-i", "dummy"];
  return new Promise((resolve) => {
    // ffmpeg lists the devices in its error output and then fails because there is no input called "dummy".
    execFile("ffmpeg", args, { timeout: listTime, windowsHide: true }, (_error, _output, listing) => {
      resolve(parseDshowDevices(listing)[0] ?? "");
    });
  });
}

/** None of the listed programs exists, or none of them could record; `details` is the last one's error output. */
export class NoRecorderError extends Error {
  readonly reason: "notFound" | "failed";
  readonly details: string;

  constructor(reason: "notFound" | "failed", details: string) {
    super(reason === "notFound" ? "No recorder was found." : `No recorder could record. ${details}`);
    this.reason = reason;
    this.details = details;
  }
}

/** Maximum number of bytes kept of an error message. */
const maxDetails = 2_000;

/** Milliseconds within which the first samples must arrive: a recorder may be waiting for a missing sound server. */
const startTime = 4_000;

/** Milliseconds that a recorder has to end by itself before it is killed. */
const endTime = 1_500;

/** A recording in progress. A system program writes its samples to memory, never to disk. */
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
    // Never through a shell, and in a folder in which a program that mistakes an argument for a file does no harm.
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
    // Also emitted after an error, and only once the last sample has been read.
    this.ended = new Promise((resolve) => this.#child.on("close", () => resolve()));
  }

  /** Tries the recorders in turn until one delivers sound. Rejects with a NoRecorderError. */
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

  /** The samples received so far. */
  get samples(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Ends the program and reads its remaining output. */
  async stop(): Promise<void> {
    this.#child.kill("SIGINT");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), endTime);
    await this.ended;
    clearTimeout(timer);
  }

  /** Whether the first samples arrive before the program ends. */
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
