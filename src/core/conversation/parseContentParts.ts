import type { ContentPart } from "./completion.ts";
import { isRecord, stringField } from "../kernel/json.ts";

/** Reads content parts; what is none is left out. */
export function parseContentParts(value: unknown): readonly ContentPart[] {
  return Array.isArray(value) ? value.flatMap(parseContentPart) : [];
}

function parseContentPart(value: unknown): readonly ContentPart[] {
  if (!isRecord(value)) return [];
  const name = stringField(value, "title");
  const title = name === undefined ? {} : { title: name };
  const data = stringField(value, "data");
  switch (value["type"]) {
    case "text": {
      const text = stringField(value, "text");
      return text === undefined ? [] : [{ type: "text", text, ...title }];
    }
    case "image": {
      const mediaType = stringField(value, "mediaType");
      return mediaType === undefined || data === undefined
        ? []
        : [{ type: "image", mediaType, data, ...title }];
    }
    case "audio": {
      const { format } = value;
      return data === undefined || (format !== "wav" && format !== "mp3")
        ? []
        : [{ type: "audio", format, data, ...title }];
    }
    default:
      return [];
  }
}
