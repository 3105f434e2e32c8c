import type { ContentPart, TextPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { parseDetailsValue, parseContentParts } from "../../conversation/messageDetails.ts";
import type { MessageDetails } from "../../conversation/messageDetails.ts";
import { parseTags } from "../../conversation/conversationTags.ts";
import { mapTexts } from "../history/exportPieces.ts";
import { isRecord, numberField, parseJson, stringField } from "../../kernel/json.ts";

const format = "inference-gateway-conversation";
const version = 1;

/** An image or audio whose content is in a separate file, named after its hash. */
type KeptMedia = { readonly sha256: string; readonly title?: string } & (
  | { readonly type: "image"; readonly mediaType: string }
  | { readonly type: "audio"; readonly format: "wav" | "mp3" }
);

/** An attachment as it is kept in a file of the workspace. */
export type KeptPart = TextPart | KeptMedia;

/** A message as it is kept in a file of the workspace: images and audio are in files of their own. */
export interface KeptMessage extends Omit<Message, "attachments"> {
  readonly attachments: readonly KeptPart[];
}

/** What the file contains about the conversation as a whole. */
export interface KeptHead extends Pick<Conversation, "id" | "title" | "createdAt" | "model" | "tags"> {
  readonly systemPrompt?: string;
  /** Milliseconds since 1970. The latest head in the file counts. */
  readonly changedAt: number;
}

/** A message along with the number of times that it was changed after it was first written. */
export interface Revision {
  readonly number: number;
  readonly line: string;
  readonly message: KeptMessage;
}

const longestId = 200;

/** A message of the conversation as it is written to the file; `hash` returns the SHA-256 of base64 data as hex. */
export function keptMessage(message: Message, hash: (data: string) => string): KeptMessage {
  const keep = (part: ContentPart): KeptPart => {
    if (part.type === "text") return part;
    const { data, ...rest } = part;
    return { ...rest, sha256: hash(data) };
  };
  return { ...message, attachments: message.attachments.map(keep) };
}

/** Whether a response contains nothing that is worth keeping: it is removed once it is requested again. */
export function isWorthKeeping({ role, status, text, reasoning, toolCalls }: Message): boolean {
  if (status === "streaming") return false;
  return role !== "assistant" || text !== "" || reasoning !== "" || toolCalls.length > 0;
}

/** Whether a message of the file is new or, unlike the part of it that is stored here, complete. */
export function isNewer(
  { status }: Pick<Message, "status">,
  own: Pick<Message, "status"> | undefined,
): boolean {
  if (own === undefined) return true;
  return status === "complete" && (own.status === "stopped" || own.status === "failed");
}

/** The line that describes the conversation as a whole. */
export function headLine({ id, createdAt, changedAt, title, model, systemPrompt, tags }: KeptHead): string {
  const named = tags === undefined || tags.length === 0 ? {} : { tags };
  return JSON.stringify({ format, version, id, createdAt, changedAt, title, model, systemPrompt, ...named });
}

/**
 * The line of a message that no longer grows.
 * @param revision 0 if the file doesn't contain the message yet, otherwise one more than its latest revision.
 */
export function messageLine(message: KeptMessage, revision = 0): string {
  const { id, parentId, role, status, createdAt, model, text, reasoning, attachments } = message;
  const { toolCalls, toolCallId, usage, finishReason, error, seams, timing, isDamaged } = message;
  return JSON.stringify({
    message: id,
    revision: revision === 0 ? undefined : revision,
    parent: parentId,
    role,
    status: status === "complete" ? undefined : status,
    createdAt,
    model,
    text,
    reasoning: reasoning === "" ? undefined : reasoning,
    attachments: attachments.length === 0 ? undefined : attachments.map(orderedPart),
    toolCalls:
      toolCalls.length === 0
        ? undefined
        : toolCalls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    toolCallId,
    usage,
    finishReason,
    // Other details of an error may name addresses that aren't for every reader of the repository.
    error: error === undefined ? undefined : { reason: error.reason, message: error.message },
    seams,
    timing,
    isDamaged,
  });
}

function orderedPart(part: KeptPart): unknown {
  const { type, title } = part;
  switch (part.type) {
    case "text":
      return { type, title, text: part.text };
    case "image":
      return { type, title, mediaType: part.mediaType, sha256: part.sha256 };
    case "audio":
      return { type, title, format: part.format, sha256: part.sha256 };
  }
}

/** The texts of a line, to be searched for secrets. */
export function lineTexts(line: string): string {
  const texts: string[] = [];
  mapTexts(parseJson(line), (text) => {
    texts.push(text);
    return text;
  });
  return texts.join("\n\n");
}

/** The line with each of its texts replaced by the result of `mask`. */
export function maskLine(line: string, mask: (text: string) => string): string {
  return JSON.stringify(mapTexts(parseJson(line), mask));
}

/** The file name of an image or audio, next to the others in the folder `attachments`. */
export function mediaFileName(part: KeptMedia): string {
  const type = part.type === "audio" ? part.format : (imageEndings[part.mediaType] ?? "bin");
  return `${part.sha256}.${type}`;
}

const imageEndings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
};

/** The head in a line of the file; undefined for anything else. */
export function parseHead(record: Readonly<Record<string, unknown>>): KeptHead | undefined {
  const id = stringField(record, "id");
  if (record["format"] !== format || id === undefined || id === "" || id.length > longestId) return undefined;
  const [model, systemPrompt] = [stringField(record, "model"), stringField(record, "systemPrompt")];
  const createdAt = readCreatedAt(record);
  const tags = parseTags(record["tags"]);
  return {
    id,
    title: stringField(record, "title") ?? "",
    createdAt,
    changedAt: numberField(record, "changedAt") ?? createdAt,
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tags.length === 0 ? {} : { tags }),
  };
}

/** The message in a line of the file; undefined if it isn't one. */
export function parseRevision(record: Readonly<Record<string, unknown>>, line: string): Revision | undefined {
  const [id, role] = [stringField(record, "message"), record["role"]];
  const [parentId, status] = [stringField(record, "parent"), record["status"]];
  if (id === undefined || id === "" || id.length > longestId) return undefined;
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "tool") return undefined;
  const details: { -readonly [F in keyof MessageDetails]: MessageDetails[F] } = parseDetailsValue(record);
  // What determines later requests is never taken from a file.
  for (const name of ["settings", "providerFields", "isIncluded"] as const) delete details[name];
  const message: KeptMessage = {
    ...details,
    id,
    ...(parentId === undefined ? {} : { parentId }),
    role,
    status: status === "failed" ? "failed" : status === undefined ? "complete" : "stopped",
    createdAt: readCreatedAt(record),
    text: stringField(record, "text") ?? "",
    reasoning: stringField(record, "reasoning") ?? "",
    attachments: parseParts(record["attachments"]),
  };
  return { number: numberField(record, "revision") ?? 0, line, message };
}

/** The latest time that a date can represent, in milliseconds since 1970. */
const farthest = 8.64e15;

function readCreatedAt(record: Readonly<Record<string, unknown>>): number {
  const time = Math.round(numberField(record, "createdAt") ?? 0);
  return Math.abs(time) <= farthest ? time : 0;
}

function parseParts(value: unknown): readonly KeptPart[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  return parts.flatMap((part): readonly KeptPart[] => {
    if (!isRecord(part)) return [];
    const sha256 = stringField(part, "sha256");
    // The content is added to reuse the parser, which refuses parts without any.
    const [parsed] = parseContentParts([{ ...part, data: "" }]);
    if (parsed === undefined || parsed.type === "text") return parsed === undefined ? [] : [parsed];
    // It becomes part of a path.
    if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) return [];
    const title = parsed.title === undefined ? {} : { title: parsed.title };
    return parsed.type === "image"
      ? [{ type: "image", mediaType: parsed.mediaType, sha256, ...title }]
      : [{ type: "audio", format: parsed.format, sha256, ...title }];
  });
}
