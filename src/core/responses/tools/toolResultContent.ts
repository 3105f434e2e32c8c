import type { ImagePart } from "../../conversation/completion.ts";
import { isRecord, stringField } from "../../kernel/json.ts";

/** UTF-16 units of a result that are sent to the model. No model accepts more. */
const maxLength = 1_000_000;

/** The image types that a page can show. */
const shownImages = /^image\/(?:png|jpeg|gif|webp)$/;
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
  const images = parts.filter(isImage).slice(0, maxImages);
  const shown = new Set<unknown>(images);
  const text = parts
    .map((part) => partText(part, shown.has(part)))
    .filter((part) => part !== "")
    .join("\n");
  return {
    text: bounded(text),
    images: images.map(({ data, mimeType }) => ({
      type: "image",
      mediaType: mimeType,
      data: encodeBase64(data),
    })),
  };
}

function bounded(text: string): string {
  if (text === "") return "(The tool gave no output.)";
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}\n(The rest of ${text.length - maxLength} characters is left out.)`;
}

interface ToolImagePart {
  readonly data: Uint8Array;
  readonly mimeType: string;
}

function isImage(part: unknown): part is ToolImagePart {
  if (!isRecord(part) || !(part["data"] instanceof Uint8Array)) return false;
  return shownImages.test(stringField(part, "mimeType") ?? "") && part["data"].length <= maxImageBytes;
}

function partText(part: unknown, isShown: boolean): string {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return "";
  if (part["data"] instanceof Uint8Array) {
    return dataText(part["data"], stringField(part, "mimeType") ?? "", isShown);
  }
  const { value } = part;
  if (typeof value === "string") return value;
  if (isRecord(value)) return promptText(value);
  return "";
}

function dataText(data: Uint8Array, mediaType: string, isShown: boolean): string {
  if (/^text\/|[/+]json\b/.test(mediaType)) return decodeUtf8(data);
  const what = `${data.byteLength} bytes of ${mediaType || "an unknown kind"}`;
  return isShown
    ? `(The result also has an image, ${what}; the user sees it.)`
    : `(The result also has ${what}, which can't be passed on.)`;
}

/** Floor 0 has no TextDecoder. Malformed bytes become replacement characters. */
function decodeUtf8(data: Uint8Array): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < data.length) {
    const [code, length] = codePointAt(data, at);
    pieces.push(String.fromCodePoint(code));
    at += length;
  }
  return pieces.join("");
}

function codePointAt(data: Uint8Array, at: number): readonly [code: number, length: number] {
  const first = data[at] ?? 0;
  if (first < 0x80) return [first, 1];
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  let code = first & (0x7f >> length);
  for (let next = 1; next < length; next++) {
    const byte = data[at + next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return [0xfffd, next];
    code = (code << 6) | (byte & 0x3f);
  }
  const isWhole = length > 1 && first < 0xf5 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return [isWhole ? code : 0xfffd, length];
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
