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
import type { AudioPart } from "../../../core/conversation/completion.ts";
import { ServiceError } from "../../../core/kernel/errors.ts";
import type { AttachmentMessage, RecordingCommand, RecordingView } from "../../../core/panel/protocol.ts";
import { remoteHostName } from "../../shell/ownMachine.ts";
import {
  NoRecorderError,
  SoundRecording,
  findWindowsMicrophone,
  hasRecorder,
} from "../../../workers/compose/soundRecording.ts";

/** Recordings shorter than this many seconds count as empty. */
const minSeconds = 0.3;

/** Inserts the text of a recording into the message; resolves to false if there is none. */
export type Transcribe = (audio: AudioPart, signal: AbortSignal) => Promise<boolean>;

/** Records audio for one panel, one recording at a time, on the machine that runs the extension. */
export class PanelRecording implements vscode.Disposable {
  readonly #post: (message: AttachmentMessage) => void;
  readonly #settings: () => RecordingSettings;
  readonly #transcribe: Transcribe;
  #view: RecordingView | undefined;
  /** Milliseconds since 1970; absent until the first samples have arrived. */
  #startedAt: number | undefined;
  #recording: SoundRecording | undefined;
  #isForText = false;
  /** The start that waits for the user, unless it was canceled or the panel was closed in the meantime. */
  #starting: object | undefined;
  /** Stops the transcription in progress. */
  #transcription: AbortController | undefined;

  constructor(
    post: (message: AttachmentMessage) => void,
    settings: () => RecordingSettings,
    transcribe: Transcribe,
  ) {
    this.#post = post;
    this.#transcribe = transcribe;
    this.#settings = settings;
  }

  /** Starts a recording if there is a program for it, and the user agrees. */
  async start(mayRecord: () => Promise<boolean>): Promise<void> {
    if (this.#view !== undefined || this.#starting !== undefined) return;
    const starting = {};
    this.#starting = starting;
    try {
      const canRecord = await hasRecorder(programs());
      const isAllowed = canRecord && (await mayRecord());
      if (this.#starting !== starting) return;
      if (isAllowed) void this.#start();
      else this.show(canRecord ? undefined : noRecorder(programs(), remoteHostName()));
    } finally {
      if (this.#starting === starting) this.#starting = undefined;
    }
  }

  end(command: Exclude<RecordingCommand, "start">): void {
    this.#isForText = command === "transcribe";
    if (command === "cancel") this.#end();
    else void this.#recording?.stop();
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
    this.#starting = undefined;
    this.#view = undefined;
    this.#startedAt = undefined;
    void this.#recording?.stop();
    this.#recording = undefined;
    this.#transcription?.abort();
    this.#transcription = undefined;
  }

  #viewNow(view: RecordingView): RecordingView {
    return this.#startedAt === undefined ? view : { ...view, elapsedMs: Date.now() - this.#startedAt };
  }

  async #start(): Promise<void> {
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
    const data = Buffer.from(bytes).toString("base64");
    if (this.#isForText) return void this.#insertText(data);
    this.#end();
    this.#attach(data);
  }

  #attach(data: string): void {
    const time = new Date().toLocaleTimeString(vscode.env.language, { hour: "2-digit", minute: "2-digit" });
    const name = vscode.l10n.t("Recording {0}", time);
    this.#post({ type: "files", files: [{ name, data }], problems: [] });
  }

  async #insertText(data: string): Promise<void> {
    const transcription = new AbortController();
    this.#recording = undefined;
    this.#transcription = transcription;
    this.#startedAt = undefined;
    this.#view = { maxSeconds: 0, isTranscribing: true };
    this.show();
    try {
      const isInserted = await this.#transcribe({ type: "audio", format: "wav", data }, transcription.signal);
      if (this.#transcription !== transcription) return;
      // Without a model, the recording isn't lost.
      this.#end();
      if (!isInserted) this.#attach(data);
    } catch (error) {
      if (this.#transcription !== transcription) return;
      this.#end(
        error instanceof ServiceError ? error.message : vscode.l10n.t("The recording wasn't transcribed."),
      );
      this.#attach(data);
    }
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
  return noRecorder(programs(), remoteName);
}

/** Requested with a device, so that the list is complete on every platform. */
function programs(): readonly string[] {
  return recordersFor(process.platform, "any").map(({ program }) => program);
}
