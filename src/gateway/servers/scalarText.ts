/** A text or a number as text; undefined for whatever else, and for text that holds nothing. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** The last segment of a resource path or URL (`…/zones/us-central1-a`), other text as it is. */
export function lastSegment(text: string): string {
  const isPath = /^(?:[a-z]+:\/\/|\/?(?:projects|subscriptions|organizations|compute)\/)\S*$/i.test(text);
  return isPath
    ? (text
        .slice(0, (text.search(/[?#]/) + 1 || text.length + 1) - 1)
        .replace(/(?<!\/)\/+$/, "")
        .split("/")
        .pop() ?? text)
    : text;
}

/** A count: a whole number that is not negative, also as text. */
export function countOf(value: unknown): number | undefined {
  const text = scalarText(value);
  return text !== undefined && /^\d{1,6}(?:\.0+)?$/.test(text) ? Number(text) : undefined;
}
