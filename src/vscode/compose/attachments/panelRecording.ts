import * as vscode from "vscode";
import {
  bytesPerSecond,
  recordersFor,
  emptyRecording,
  failedRecorder,
  noRecorder,
  remoteRecording,
  silentRecording,
} from "../../../core/compose/attachments/recorders.ts";
import type { RecordingSettings } from "../../../core/compose/attachments/recorders.ts";
import { createWavFile, isSilent } from "../../../core/compose/attachments/soundFacts.ts";
import type { AttachmentMessage, RecordingCommand, RecordingView } from "../../../core/panel/protocol.ts";
import { remoteHostName } from "../../shell/ownMachine.ts";
import { findWindowsMicrophone } from "../../../workers/compose/findMicrophone.ts";
import { NoRecorderError, SoundRecording } from "../../../workers/compose/soundRecording.ts";

/** Recordings shorter than this many seconds count as empty. */
const minSeconds = 0.3;

/** Records audio for one panel, one recording at a time, on the machine that runs the extension. */
export class PanelRecording implements vscode.Disposable {
  readonly #post: (message: AttachmentMessage) => void;
  readonly #settings: () => RecordingSettings;
  #view: RecordingView | undefined;
  /** Milliseconds since 1970; absent until the first samples have arrived. */
  #startedAt: number | undefined;
  #recording: SoundRecording | undefined;

  constructor(post: (message: AttachmentMessage) => void, settings: () => RecordingSettings) {
    this.#post = post;
    this.#settings = settings;
  }

  run(command: RecordingCommand): void {
    if (command === "start") void this.#start();
    else if (command === "stop") void this.#recording?.stop();
    else this.#end();
  }

  /** Sends a new page the current state. */
  show(problem?: string): void {
    this.#post({
      type: "recording",
      ...(this.#view === undefined ? {} : { recording: this.#viewNow(this.#view) }),
      ...(problem === undefined ? {} : { problem }),
    });
  }

  dispose(): void {
    this.#view = undefined;
    this.#startedAt = undefined;
    void this.#recording?.stop();
    this.#recording = undefined;
  }

  #viewNow(view: RecordingView): RecordingView {
    return this.#startedAt === undefined ? view : { ...view, elapsedMs: Date.now() - this.#startedAt };
  }

  async #start(): Promise<void> {
    if (this.#view !== undefined) return;
    const { limits, device, maxSeconds } = this.#settings();
    const remoteName = remoteHostName();
    const view: RecordingView = {
      maxSeconds: Math.min(maxSeconds, Math.floor(limits.maxBytes / bytesPerSecond)),
      ...(remoteName === undefined ? {} : { note: remoteRecording(remoteName) }),
    };
    this.#view = view;
    this.show();
    const recorders = recordersFor(process.platform, device || (await defaultDevice()));
    const recording = await SoundRecording.start(recorders, view.maxSeconds).catch((error: unknown) => error);
    if (this.#view !== view) {
      // Canceled, or the panel was closed, before the recording started.
      if (recording instanceof SoundRecording) void recording.stop();
      return;
    }
    if (!(recording instanceof SoundRecording)) return this.#end(startProblem(recording, remoteName));
    this.#recording = recording;
    this.#startedAt = Date.now();
    this.show();
    await recording.ended;
    if (this.#recording === recording) this.#finish(recording);
  }

  #finish({ samples }: SoundRecording): void {
    const bytes = createWavFile(samples);
    if (bytes.length < minSeconds * bytesPerSecond) return this.#end(emptyRecording());
    if (isSilent(samples)) return this.#end(silentRecording());
    this.#end();
    const time = new Date().toLocaleTimeString(vscode.env.language, { hour: "2-digit", minute: "2-digit" });
    const name = vscode.l10n.t("Recording {0}", time);
    const data = Buffer.from(bytes).toString("base64");
    this.#post({ type: "files", files: [{ name, data }], problems: [] });
  }

  #end(problem?: string): void {
    this.dispose();
    this.show(problem);
  }
}

async function defaultDevice(): Promise<string> {
  return process.platform === "win32" ? findWindowsMicrophone() : "";
}

function startProblem(error: unknown, remoteName: string | undefined): string {
  if (error instanceof NoRecorderError && error.reason === "failed")
    return failedRecorder(error.details, remoteName);
  // Called with a device so that the list of programs is complete on every platform.
  const programs = recordersFor(process.platform, "any").map(({ program }) => program);
  return noRecorder(programs, remoteName);
}
