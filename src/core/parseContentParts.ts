import type { ContentPart } from "./completion.ts";
import { isRecord, stringField } from "./json.ts";

/** Reads content parts; what is none is left out. */
export function parseContentParts(value: unknown): readonly ContentPart[] {
  return Array.isArray(value) ? value.flatMap(parseContentPart) : [];
}

function parseContentPart(value: unknown): readonly ContentPart[] {
  if (!isRecord(value)) return [];
  switch (value["type"]) {
    case "text": {
      const text = stringField(value, "text");
      const title = stringField(value, "title");
      return text === undefined ? [] : [{ type: "text", text, ...(title === undefined ? {} : { title }) }];
    }
    case "image": {
      const mediaType = stringField(value, "mediaType");
      const data = stringField(value, "data");
      return mediaType === undefined || data === undefined ? [] : [{ type: "image", mediaType, data }];
    }
    case "audio": {
      const { format } = value;
      const data = stringField(value, "data");
      return data === undefined || (format !== "wav" && format !== "mp3")
        ? []
        : [{ type: "audio", format, data }];
    }
    default:
      return [];
  }
}
