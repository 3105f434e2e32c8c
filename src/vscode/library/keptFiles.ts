import * as vscode from "vscode";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { keptFileEnding, readKeptFile } from "../../core/library/kept/keptFile.ts";
import type { KeptContents } from "../../core/library/kept/keptFile.ts";
import { mediaFileName } from "../../core/library/kept/keptLines.ts";
import type { KeptMessage, KeptPart } from "../../core/library/kept/keptLines.ts";
import { createPause } from "../shell/pause.ts";
import { sha256Hex } from "../shell/digest.ts";

/** In bytes. */
const largestFile = 200_000_000;
const largestMedia = 50_000_000;

/** The folder of the images and audio, next to the file. */
export const mediaFolder = "attachments";

/** Reads the file and its contents; throws a sentence if it can't be read. */
export async function readKept(
  uri: vscode.Uri,
): Promise<{ readonly bytes: Uint8Array; readonly text: string; readonly contents: KeptContents }> {
  const name = vscode.workspace.asRelativePath(uri);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > largestFile) throw new Error(vscode.l10n.t("{0} is too large to be read.", name));
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = Buffer.from(bytes).toString("utf8");
  return { bytes, text, contents: await readKeptFile(text, createPause()) };
}

/** The message with the contents of its images and audio. If one is missing, a text takes its place. */
export async function withMedia(uri: vscode.Uri, message: KeptMessage): Promise<Message> {
  const attachments = await Promise.all(message.attachments.map((part) => readPart(uri, part)));
  return { ...message, attachments };
}

async function readPart(uri: vscode.Uri, part: KeptPart): Promise<ContentPart> {
  if (part.type === "text") return part;
  const { sha256, ...rest } = part;
  const file = vscode.Uri.joinPath(uri, "..", mediaFolder, mediaFileName(part));
  const name = `${mediaFolder}/${mediaFileName(part)}`;
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    const bytes = size > largestMedia ? undefined : await vscode.workspace.fs.readFile(file);
    if (bytes !== undefined && sha256Hex(bytes) === sha256)
      return { ...rest, data: Buffer.from(bytes).toString("base64") };
    return { type: "text", title: name, text: vscode.l10n.t("{0} isn't the file that was attached.", name) };
  } catch {
    return { type: "text", title: name, text: vscode.l10n.t("{0} is missing.", name) };
  }
}

/** The SHA-256 of the data, which is base64, as hex. */
export function hashOf(data: string): string {
  return sha256Hex(Buffer.from(data, "base64"));
}

/** Makes Git merge two branches that have both continued a conversation by taking the messages of both. */
const attributes = `*${keptFileEnding} text eol=lf merge=union`;

/** Adds our line to the folder's `.gitattributes`. */
export async function addAttributes(folder: vscode.Uri): Promise<void> {
  const file = vscode.Uri.joinPath(folder, ".gitattributes");
  const before = await vscode.workspace.fs.readFile(file).then(
    (bytes) => Buffer.from(bytes),
    (error: unknown) => {
      // A file that exists but can't be read must not be replaced.
      if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return Buffer.alloc(0);
      throw error;
    },
  );
  const text = before.toString("utf8");
  if (text.split(/\r?\n/).includes(attributes)) return;
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  await vscode.workspace.fs.writeFile(file, Buffer.concat([before, Buffer.from(`${end}${attributes}\n`)]));
}
