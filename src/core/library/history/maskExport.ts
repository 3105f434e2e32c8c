import { isRecord } from "../../kernel/json.ts";

/** Images and audio, which contain no text to search. */
const media = /(data:[\w.+-]{1,60}\/[\w.+-]{1,60};base64,)[A-Za-z0-9+/=]+/g;

/** The texts of an export that are searched for secrets, without images and audio. */
export function textOfExport(text: string, format: "md" | "json"): string {
  if (format === "md") return text.replace(media, "$1");
  const texts: string[] = [];
  mapTexts(JSON.parse(text), (inner) => {
    texts.push(inner.replace(media, "$1"));
    return inner;
  });
  return texts.join("\n\n");
}

/** The export with each of its texts replaced by the result of `mask`; a JSON file can still be imported. */
export function maskExport(text: string, format: "md" | "json", mask: (text: string) => string): string {
  if (format === "md") return mask(text);
  return `${JSON.stringify(mapTexts(JSON.parse(text), mask), undefined, 2)}\n`;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]));
}
