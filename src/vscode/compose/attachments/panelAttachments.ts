import type * as vscode from "vscode";
import { isMediaPath } from "../../../core/compose/attachments/fileKind.ts";
import type { AttachmentRequest } from "../../../core/panel/parseAttachmentRequest.ts";
import type { AttachmentMessage, RecordingCommand } from "../../../core/panel/protocol.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { parseDroppedUris } from "../context/droppedUri.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import type { FileOrigin } from "../../shell/fileBoundary.ts";
import { pickFiles, readFiles } from "./giveFiles.ts";
import type { PanelRecording } from "./panelRecording.ts";

/** What the page asks for to attach it. */
type GiveRequest = Exclude<AttachmentRequest, { readonly type: "pickModel" }>;

/** Gives the composer of one panel files, pictures and recordings. */
export class PanelAttachments implements vscode.Disposable {
  readonly #post: (message: AttachmentMessage) => void;
  /** Attaches what is neither picture nor recording. */
  readonly #attachTexts: (uris: readonly vscode.Uri[], origin: FileOrigin) => void;
  /** Asks outside of the page whether the microphone may be used. */
  readonly #mayRecord: () => Promise<boolean>;
  #isAsking = false;
  #recording: Promise<PanelRecording> | undefined;

  constructor(
    post: (message: AttachmentMessage) => void,
    attachTexts: (uris: readonly vscode.Uri[], origin: FileOrigin) => void,
    mayRecord: () => Promise<boolean>,
  ) {
    this.#mayRecord = mayRecord;
    this.#post = post;
    this.#attachTexts = attachTexts;
  }

  async handle(request: GiveRequest): Promise<void> {
    switch (request.type) {
      case "pickFiles":
        return this.#give(await pickFiles(), "chosen");
      case "readFiles":
        return this.#give(parseDroppedUris(request.uris), "page");
      case "recording":
        return this.#record(request.command);
    }
  }

  /** Tells a page that is new of the recording under way. */
  showRecording(): void {
    void this.#recording?.then((recording) => recording.show());
  }

  dispose(): void {
    void this.#recording?.then((recording) => recording.dispose());
  }

  async #record(command: RecordingCommand): Promise<void> {
    const recording = await this.#loadRecording();
    if (command === "start" && !(await this.#mayRecord())) recording.show();
    else recording.run(command);
  }

  /** While the user is asked about files that were dropped, no others are taken from the page. */
  async #give(uris: readonly vscode.Uri[], origin: FileOrigin): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const files = await passBoundary(uris, origin);
      const media = files.filter(({ real }) => isMediaPath(real.path));
      const others = files.filter((file) => !media.includes(file));
      if (others.length > 0)
        this.#attachTexts(
          others.map(({ uri }) => uri),
          origin,
        );
      const limits = chatSettings.attachmentLimits();
      if (media.length > 0)
        this.#post(
          await readFiles(
            media.map(({ real }) => real),
            limits,
          ),
        );
    } finally {
      this.#isAsking = false;
    }
  }

  /** What runs programs is loaded with the first recording. */
  #loadRecording(): Promise<PanelRecording> {
    this.#recording ??= import("./panelRecording.ts").then(
      ({ PanelRecording }) => new PanelRecording(this.#post, chatSettings.recording),
    );
    return this.#recording;
  }
}
