import type * as vscode from "vscode";
import { isMediaPath } from "../../../core/attachments/fileKind.ts";
import type { AttachmentRequest } from "../../../core/attachments/parseAttachmentRequest.ts";
import type { AttachmentMessage } from "../../../core/protocol.ts";
import { chatSettings } from "../chatSettings.ts";
import { parseDroppedUri } from "../context/droppedUri.ts";
import { pickFiles, readFiles } from "./giveFiles.ts";
import type { PanelRecording } from "./panelRecording.ts";

/** What the page asks for to attach it. */
type GiveRequest = Exclude<AttachmentRequest, { readonly type: "pickModel" }>;

/** Gives the composer of one panel files, pictures and recordings. */
export class PanelAttachments implements vscode.Disposable {
  readonly #post: (message: AttachmentMessage) => void;
  /** Attaches what is neither picture nor recording. */
  readonly #attachTexts: (uris: readonly vscode.Uri[]) => void;
  #recording: Promise<PanelRecording> | undefined;

  constructor(
    post: (message: AttachmentMessage) => void,
    attachTexts: (uris: readonly vscode.Uri[]) => void,
  ) {
    this.#post = post;
    this.#attachTexts = attachTexts;
  }

  async handle(request: GiveRequest): Promise<void> {
    switch (request.type) {
      case "pickFiles":
        return this.#give(await pickFiles());
      case "readFiles":
        return this.#give(request.uris.map(parseDroppedUri));
      case "recording":
        return (await this.#loadRecording()).run(request.command);
    }
  }

  /** Tells a page that is new of the recording under way. */
  showRecording(): void {
    void this.#recording?.then((recording) => recording.show());
  }

  dispose(): void {
    void this.#recording?.then((recording) => recording.dispose());
  }

  async #give(uris: readonly vscode.Uri[]): Promise<void> {
    const media = uris.filter(({ path }) => isMediaPath(path));
    const others = uris.filter((uri) => !media.includes(uri));
    if (others.length > 0) this.#attachTexts(others);
    if (media.length > 0) this.#post(await readFiles(media, chatSettings.attachmentLimits()));
  }

  /** What runs programs is loaded with the first recording. */
  #loadRecording(): Promise<PanelRecording> {
    this.#recording ??= import("./panelRecording.ts").then(
      ({ PanelRecording }) => new PanelRecording(this.#post, chatSettings.recording),
    );
    return this.#recording;
  }
}
