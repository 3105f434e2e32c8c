/** `events` is a stream of server-sent events; `whole` can be read only when all of it is there. */
export type BodyKind = "events" | "whole";

const jsonStarts = new Set(["{", "[", '"']);

/**
 * What a body is, from its first bytes and its content type; undefined while there are too few bytes to tell.
 * The bytes count more: JSON and pages come under the type of a stream, and streams under any type.
 */
export function detectBodyKind(start: Uint8Array, contentType: string): BodyKind | undefined {
  const text = Buffer.from(start)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "");
  const first = text.trimStart().charAt(0);
  if (first === "") return undefined;
  if (jsonStarts.has(first) || first === "<") return "whole";
  if (/event-stream/i.test(contentType)) return "events";
  return looksLikeEvents(text.trimStart());
}

/** A field of server-sent events or a comment; undecided while the text may still become one. */
function looksLikeEvents(text: string): BodyKind | undefined {
  if (/^(?:data|event|id|retry|error)?:/.test(text) || /^data[\r\n]/.test(text)) return "events";
  const mayBecomeField = ["data", "event", "id", "retry", "error"].some((name) => name.startsWith(text));
  return mayBecomeField ? undefined : "whole";
}
