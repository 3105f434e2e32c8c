import type { ContentPart } from "./completion.ts";
import { isRecord, stringField } from "../kernel/json.ts";

/** Parses content parts; invalid ones are skipped. */
export function parseContentParts(value: unknown): readonly ContentPart[] {
  return Array.isArray(value) ? value.flatMap(parseContentPart) : [];
}

type PartParser<T> = (value: Readonly<Record<string, unknown>>) => T | undefined;

/** Each without the title, which any part may have. */
const parsers: {
  readonly [T in ContentPart["type"]]: PartParser<Extract<ContentPart, { readonly type: T }>>;
} = {
  text(value) {
    const text = stringField(value, "text");
    return text === undefined ? undefined : { type: "text", text };
  },
  image(value) {
    const data = stringField(value, "data");
    const mediaType = stringField(value, "mediaType");
    return mediaType === undefined || data === undefined ? undefined : { type: "image", mediaType, data };
  },
  audio(value) {
    const data = stringField(value, "data");
    const { format } = value;
    return data === undefined || (format !== "wav" && format !== "mp3")
      ? undefined
      : { type: "audio", format, data };
  },
};

function parseContentPart(value: unknown): readonly ContentPart[] {
  const type = isRecord(value) ? value["type"] : undefined;
  if (!isRecord(value) || typeof type !== "string" || !isPartType(type)) return [];
  const part = parsers[type](value);
  const title = stringField(value, "title");
  return part === undefined ? [] : [title === undefined ? part : { ...part, title }];
}

export function isPartType(type: string): type is ContentPart["type"] {
  return Object.hasOwn(parsers, type);
}
