import { readImageFacts } from "../../core/compose/attachments/imageFacts.ts";
import { readSeconds } from "../../core/compose/attachments/soundFacts.ts";
import type { ChatPart } from "./chatRequest.ts";
import { badRequest, requireRecord, requireString } from "./requestFields.ts";
import type { JsonRecord } from "./requestFields.ts";

/**
 * The content of a message: a string or content parts (interface section 2.2, "their field layout is not shown", so
 * ours is the usual one). Only a message with tool calls may have no content.
 */
export function parseContent(value: unknown, param: string, mayBeMissing: boolean): readonly ChatPart[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    return parts.map((part, index) => parsePart(part, `${param}[${index}]`));
  }
  if (mayBeMissing && (value === undefined || value === null)) return [];
  throw badRequest(param, "a string or an array of content parts is expected", "invalid_type");
}

function parsePart(value: unknown, param: string): ChatPart {
  const part = requireRecord(value, param);
  switch (part["type"]) {
    case "text":
      return { type: "text", text: requireString(part["text"], `${param}.text`) };
    case "image_url":
      return parseImage(requireRecord(part["image_url"], `${param}.image_url`), `${param}.image_url.url`);
    case "input_audio":
      return parseAudio(requireRecord(part["input_audio"], `${param}.input_audio`), `${param}.input_audio`);
    default:
      throw badRequest(`${param}.type`, "one of text, image_url, input_audio is expected");
  }
}

function parseImage(image: JsonRecord, param: string): ChatPart {
  const url = requireString(image["url"], param);
  if (/^https?:\/\//i.test(url)) return { type: "image", bytes: 0, mediaType: "" };
  const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/is.exec(url) ?? [];
  if (data === undefined) throw badRequest(param, "an http(s) URL or a data URL in base64 is expected");
  const bytes = parseBase64(data, param);
  const facts = readImageFacts(bytes);
  if (facts === undefined) {
    throw badRequest(param, "the picture can't be read; PNG, JPEG, GIF or WebP is expected", "invalid_image");
  }
  return { type: "image", bytes: bytes.length, mediaType, facts };
}

function parseAudio(audio: JsonRecord, param: string): ChatPart {
  const { format } = audio;
  if (format !== "wav" && format !== "mp3") throw badRequest(`${param}.format`, "wav or mp3 is expected");
  const bytes = parseBase64(requireString(audio["data"], `${param}.data`), `${param}.data`);
  const seconds = readSeconds(format, bytes);
  if (seconds === undefined) {
    throw badRequest(`${param}.data`, `the recording can't be read as ${format}`, "invalid_audio");
  }
  return { type: "recording", format, bytes: bytes.length, seconds };
}

function parseBase64(text: string, param: string): Buffer {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isBase64) throw badRequest(param, "it is not base64", "invalid_base64");
  return Buffer.from(text, "base64");
}
