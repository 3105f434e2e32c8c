import type { FromWebview, RecordingCommand } from "./protocol.ts";
import { isModality } from "../compose/attachments/modalities.ts";

/** What the page asks for what is, or shall be, attached. */
export type AttachmentRequest = Extract<
  FromWebview,
  { readonly type: "pickFiles" | "readFiles" | "recording" | "pickModel" }
>;

const recordingCommands: readonly RecordingCommand[] = ["start", "stop", "cancel"];

/** Checks what comes from the page; undefined for anything else. */
export function parseAttachmentRequest(
  record: Readonly<Record<string, unknown>>,
): AttachmentRequest | undefined {
  switch (record["type"]) {
    case "pickFiles":
      return { type: "pickFiles" };
    case "readFiles":
      return { type: "readFiles", uris: strings(record["uris"]) };
    case "recording": {
      const command = recordingCommands.find((known) => known === record["command"]);
      return command === undefined ? undefined : { type: "recording", command };
    }
    case "pickModel":
      return { type: "pickModel", modalities: strings(record["modalities"]).filter(isModality) };
    default:
      return undefined;
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
