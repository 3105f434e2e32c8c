import * as vscode from "vscode";
import { kindBytes, readFileKind } from "../../../core/compose/attachments/fileKind.ts";
import { maxFileBytes } from "../../../core/compose/attachments/limits.ts";
import type { AttachmentLimits } from "../../../core/compose/attachments/limits.ts";
import { findProblem, tooBig, unreadable } from "../../../core/compose/attachments/problems.ts";
import type { AttachmentMessage, GivenFile } from "../../../core/panel/protocol.ts";

type Files = Extract<AttachmentMessage, { readonly type: "files" }>;

/** Asks for files on the machine that the workspace is on; none when the user turns away. */
export async function pickFiles(): Promise<readonly vscode.Uri[]> {
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

/** Reads files that the user has given; those that are neither pictures nor recordings never reach the page. */
export async function readFiles(uris: readonly vscode.Uri[], limits: AttachmentLimits): Promise<Files> {
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
