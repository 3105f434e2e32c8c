import * as vscode from "vscode";
import { isMediaPath, kindBytes, readFileKind } from "../../../core/compose/attachments/fileKind.ts";
import { maxFileBytes } from "../../../core/compose/attachments/limits.ts";
import type { AttachmentLimits } from "../../../core/compose/attachments/limits.ts";
import { findProblem, tooBig, unreadable } from "../../../core/compose/attachments/problems.ts";
import type { AttachmentRequest } from "../../../core/panel/parseFromWebview.ts";
import type { AttachmentMessage, GivenFile, RecordingCommand } from "../../../core/panel/protocol.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import type { FileOrigin } from "../../shell/fileBoundary.ts";
import type { PanelRecording } from "./panelRecording.ts";

/** Files that are dropped at once. */
const maxFiles = 50;

/**
 * The resources that VS Code gave to a page by these addresses; those of file systems that the workspace has nothing to do
 * with are left out. A drop can't be proven: any page may send any address.
 */
export function parseDroppedUris(addresses: readonly string[]): readonly vscode.Uri[] {
  const schemes = new Set([
    "file",
    "vscode-remote",
    ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
  ]);
  return addresses
    .slice(0, maxFiles)
    .map(parseDroppedUri)
    .filter((uri): uri is vscode.Uri => uri !== undefined && schemes.has(uri.scheme));
}

/**
 * In a remote window pages are given `vscode-remote:` addresses of what is a plain file to extensions there: as such it is
 * found in its folder, and named by it.
 */
function parseDroppedUri(address: string): vscode.Uri | undefined {
  try {
    const uri = vscode.Uri.parse(address, true);
    if (uri.scheme !== "vscode-remote") return uri;
    const isThere =
      vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === "file") ?? false;
    return isThere ? vscode.Uri.file(uri.path) : uri;
  } catch {
    return undefined;
  }
}

/** What the page asks for to attach it. */
type GiveRequest = Exclude<AttachmentRequest, { readonly type: "pickModel" }>;

/** Adds files, images and audio to the composer of one panel. */
export class PanelAttachments implements vscode.Disposable {
  readonly #post: (message: AttachmentMessage) => void;
  /** Attaches anything that is neither an image nor audio. */
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

  /** Sends a new page the state of the recording under way. */
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

type Files = Extract<AttachmentMessage, { readonly type: "files" }>;

/** Asks for files on the machine of the workspace. None if the user cancels. */
async function pickFiles(): Promise<readonly vscode.Uri[]> {
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t("Attach"),
    title: vscode.l10n.t("Attach Files"),
    filters: {
      [vscode.l10n.t("Images and audio")]: ["png", "jpg", "jpeg", "webp", "gif", "wav", "mp3"],
      [vscode.l10n.t("All files")]: ["*"],
    },
  });
  return uris ?? [];
}

/** Reads files that the user has provided. Those that are neither images nor audio never reach the page. */
async function readFiles(uris: readonly vscode.Uri[], limits: AttachmentLimits): Promise<Files> {
  const files: GivenFile[] = [];
  const problems: string[] = [];
  for (const uri of uris) {
    const name = uri.path.split("/").at(-1) ?? "";
    const given = await readFile(uri, name, limits);
    if (typeof given === "string") problems.push(given);
    else files.push(given);
  }
  return { type: "files", files, problems };
}

/** The file, or a sentence that says why it can't be attached. */
async function readFile(
  uri: vscode.Uri,
  name: string,
  limits: AttachmentLimits,
): Promise<GivenFile | string> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxFileBytes(limits)) return tooBig(name, size, maxFileBytes(limits));
    const bytes = await vscode.workspace.fs.readFile(uri);
    const problem = findProblem(name, bytes.length, readFileKind(bytes.subarray(0, kindBytes)), limits);
    return problem ?? { name, data: Buffer.from(bytes).toString("base64") };
  } catch {
    return unreadable(name);
  }
}
