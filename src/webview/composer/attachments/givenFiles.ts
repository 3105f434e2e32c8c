import type { AttachedFile } from "./readAttachment.ts";
import { stringsIn } from "../../../core/kernel/json.ts";

/** The name that browsers give to an image that was never a file. */
const namelessImage = /^image\.(?:png|jpe?g|gif|webp)$/i;

/**
 * The files of a paste. Empty if it is text that merely includes an image of itself, as tables do: the text of copied
 * files has a line for each of them, with its name or path.
 */
export function pastedFiles(data: DataTransfer): readonly AttachedFile[] {
  const files = [...data.files];
  const text = data.getData("text/plain").trim();
  const lines = text.split(/[\r\n]+/).map((line) => line.trim().split(/[\\/]/).at(-1) ?? "");
  const isAboutFiles = text === "" || lines.every((line) => files.some(({ name }) => line === name));
  return isAboutFiles ? files.map(toAttachedFile) : [];
}

/** The content of a drop: files from the system, or URIs of files from VS Code's explorer and tabs. */
interface Dropped {
  readonly files: readonly AttachedFile[];
  readonly uris: readonly string[];
}

/** The files, or the URIs of files, in a drop. */
export function droppedFiles(data: DataTransfer): Dropped {
  const uris = readUris(data);
  // Files from the explorer arrive as URIs, which the host can read on any machine.
  return uris.length > 0 ? { files: [], uris } : { files: [...data.files].map(toAttachedFile), uris };
}

/** Whether a drag contains something that could be attached. Its contents can't be read before the drop. */
export function bringsFiles(data: DataTransfer): boolean {
  return data.types.some((type) => type === "Files" || uriTypes.includes(type));
}

/** VS Code's own type comes first, because the standard type contains only one of several URIs. */
const uriTypes = ["application/vnd.code.uri-list", "resourceurls", "text/uri-list"];

function readUris(data: DataTransfer): readonly string[] {
  for (const type of uriTypes) {
    const uris = type === "resourceurls" ? parseList(data.getData(type)) : data.getData(type).split(/\r?\n/);
    const files = uris.filter((uri) => /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(uri));
    if (files.length > 0) return files;
  }
  return [];
}

function parseList(json: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(json);
    return stringsIn(list);
  } catch {
    return [];
  }
}

function toAttachedFile(file: File): AttachedFile {
  return { name: namelessImage.test(file.name) ? "" : file.name, blob: file };
}
