import type { ContentPart, ImagePart } from "../../conversation/completion.ts";
import { readFileKind } from "../../conversation/fileKind.ts";
import { decodeUtf8 } from "../../kernel/base64.ts";
import { startOf } from "../../kernel/foreignText.ts";
import { isRecord, stringField } from "../../kernel/json.ts";

/** UTF-16 units of a result that are sent to the model. No model accepts more. */
const maxLength = 1_000_000;

/** Maximum bytes of an image that is stored with the conversation. */
const maxImageBytes = 5_000_000;
const maxImages = 8;

/** The result of a tool: its text, and the images that are shown to the user and sent to models that support them. */
interface ToolContent {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

/**
 * The content of a tool's result. Its parts are identified by their shape, because VS Code has added kinds of parts
 * over the years and the classes differ between versions. Anything that isn't text is named, so that the model is aware
 * of it.
 */
export function toolResultContent(content: unknown, encodeBase64: (data: Uint8Array) => string): ToolContent {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const images: ImagePart[] = [];
  const texts = parts.map((part) => {
    if (!isDataPart(part)) return partText(part);
    if (isPrivateMark(part)) return "";
    const { data, mimeType } = part;
    const read = dataPart(part, encodeBase64);
    if (read.type === "text") return read.text;
    if (read.type === "audio" || images.length === maxImages || data.length > maxImageBytes)
      return unread(part);
    images.push(read);
    return `(The result also has an image, ${data.byteLength} bytes of ${mimeType}.)`;
  });
  return { text: bounded(texts.filter((text) => text !== "").join("\n")), images };
}

/**
 * How results with `isError` begin in the common frameworks for MCP servers. VS Code passes only their content on.
 * Sources: the SDKs for TypeScript ("MCP error -32602: …"), Python ("Error executing tool …") and C# ("An error
 * occurred invoking …"), FastMCP ("Error calling tool …"), and the reference servers ("Error: …").
 */
const mcpErrors = [
  "Error:",
  "MCP error -",
  "Error executing tool ",
  "Error calling tool ",
  "Unknown tool: ",
].concat("An error occurred invoking ");

/** Whether the result of an MCP tool reads as an error. */
export function isMcpError(text: string): boolean {
  return mcpErrors.some((start) => text.startsWith(start));
}

/** Data as VS Code's language model API represents it. */
export interface DataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
}

/** Whether the part is data, whatever its class. */
export function isDataPart(part: unknown): part is DataPart {
  return isRecord(part) && part["data"] instanceof Uint8Array && typeof part["mimeType"] === "string";
}

/** Whether VS Code attached the data for itself, such as a cache mark: these types aren't media types. */
export function isPrivateMark({ mimeType }: DataPart): boolean {
  return !mimeType.includes("/");
}

/** Data as a part of what its bytes are, whatever was declared. A note takes the place of what models can't read. */
export function dataPart(part: DataPart, encodeBase64: (data: Uint8Array) => string): ContentPart {
  const { data, mimeType } = part;
  const kind = readFileKind(data);
  if (kind.kind === "image") return { type: "image", mediaType: kind.mediaType, data: encodeBase64(data) };
  if (/^text\/|[/+](?:json|xml|yaml|javascript)\b/i.test(mimeType))
    return { type: "text", text: decodeUtf8(data) };
  if (kind.kind === "audio" && kind.format !== undefined)
    return { type: "audio", format: kind.format, data: encodeBase64(data) };
  const isFalse = kind.kind === "other" && kind.name === undefined && /^(?:image|audio)\//.test(mimeType);
  return { type: "text", text: isFalse ? falseMedia(part) : unread(part) };
}

function unread({ data, mimeType }: DataPart): string {
  return `(${data.byteLength} bytes of ${mimeType} are left out here, because they can't be passed on.)`;
}

function falseMedia({ data, mimeType }: DataPart): string {
  return `(${data.byteLength} bytes are left out here, because they aren't ${mimeType}, whatever their type says. The file is damaged or something else.)`;
}

function bounded(text: string): string {
  if (text === "") return "(The tool gave no output.)";
  if (text.length <= maxLength) return text;
  return `${startOf(text, maxLength)}\n(The rest of ${text.length - maxLength} characters is left out.)`;
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return "";
  const { value } = part;
  if (typeof value === "string") return value;
  if (isRecord(value)) return promptText(value);
  return "";
}

/**
 * The text of a rendered @vscode/prompt-tsx element: a tree of pieces (`children`) whose leaves have `text`; a leaf may
 * request a line break before it.
 */
function promptText(tree: Readonly<Record<string, unknown>>): string {
  const texts: string[] = [];
  const pending: unknown[] = [tree["node"] ?? tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (!isRecord(node)) continue;
    const text = stringField(node, "text");
    if (text !== undefined) texts.push(node["lineBreakBefore"] === true ? `\n${text}` : text);
    if (Array.isArray(node["children"]))
      for (const child of node["children"].toReversed()) pending.push(child);
  }
  return texts.join("").trim();
}
