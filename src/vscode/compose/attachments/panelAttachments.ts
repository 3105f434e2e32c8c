import * as vscode from "vscode";
import { isMediaPath, kindBytes, readFileKind } from "../../../core/conversation/fileKind.ts";
import { maxFileBytes, findProblem, tooBig, unreadable } from "../../../core/compose/attachments/limits.ts";
import type { FilesMessage, GivenFile } from "../../../core/panel/protocol.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import type { FileOrigin } from "../../shell/fileBoundary.ts";

/** Maximum number of files dropped at once. */
const maxFiles = 50;

/**
 * The resources that VS Code gave a page at these addresses, except those in file systems unrelated to the workspace. A
 * page could send any address, so there is no proof that the user dropped something.
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
 * In a remote window, pages receive `vscode-remote:` addresses for what extensions there treat as plain files.
 * Converted to a file URI, the resource is matched to its folder and named after it.
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

/** Adds files, images and audio to the composer of one panel. */
export class PanelAttachments {
  readonly #post: (message: FilesMessage) => void;
  /** Attaches everything except images and audio. */
  readonly #attachTexts: (uris: readonly vscode.Uri[], origin: FileOrigin) => void;
  #isAsking = false;

  constructor(
    post: (message: FilesMessage) => void,
    attachTexts: (uris: readonly vscode.Uri[], origin: FileOrigin) => void,
  ) {
    this.#post = post;
    this.#attachTexts = attachTexts;
  }

  /** Lets the user pick files. */
  async pick(): Promise<void> {
    await this.#give(await pickFiles(), "chosen");
  }

  /** Reads files that were dropped. */
  async read(uris: readonly string[]): Promise<void> {
    await this.#give(parseDroppedUris(uris), "page");
  }

  /** While the user is being asked about dropped files, the page can't add others. */
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
      if (media.length > 0) this.#post(await readFiles(media.map(({ real }) => real)));
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Asks for files on the workspace's machine. Empty if the user cancels. */
async function pickFiles(): Promise<readonly vscode.Uri[]> {
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t("Attach"),
    title: vscode.l10n.t("Attach Files"),
    filters: {
      [vscode.l10n.t("Images and audio")]: [
        ...["png", "jpg", "jpeg", "webp", "gif"],
        ...["wav", "mp3", "ogg", "oga", "opus", "flac", "webm", "weba", "m4a", "mp4", "aac"],
      ],
      [vscode.l10n.t("All files")]: ["*"],
    },
  });
  return uris ?? [];
}

/** Reads files provided by the user. Those that are neither images nor audio are never sent to the page. */
async function readFiles(uris: readonly vscode.Uri[]): Promise<FilesMessage> {
  const files: GivenFile[] = [];
  const problems: string[] = [];
  for (const uri of uris) {
    const name = uri.path.split("/").at(-1) ?? "";
    const given = await readFile(uri, name);
    if (typeof given === "string") problems.push(given);
    else files.push(given);
  }
  return { type: "files", files, problems };
}

/** The file, or a sentence explaining why it can't be attached. */
async function readFile(uri: vscode.Uri, name: string): Promise<GivenFile | string> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxFileBytes) return tooBig(name, size, maxFileBytes);
    const bytes = await vscode.workspace.fs.readFile(uri);
    const problem = findProblem(name, bytes.length, readFileKind(bytes.subarray(0, kindBytes)));
    return problem ?? { name, data: Buffer.from(bytes).toString("base64") };
  } catch {
    return unreadable(name);
  }
}
