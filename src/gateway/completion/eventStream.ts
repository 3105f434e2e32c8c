import { createParser } from "eventsource-parser";
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Assembles whole lines from bytes that are split anywhere. Text that ends with a line end contains no split character
 * either.
 */
export class WholeLines {
  #open: Uint8Array[] = [];
  #openLength = 0;

  /** Bytes of the line that is still incomplete. */
  get openLength(): number {
    return this.#openLength;
  }

  /** Returns the lines that are now complete; empty if the chunk completes none. */
  push(chunk: Uint8Array): string {
    const end = lineEnd(chunk);
    if (end === 0) {
      this.#holdBack(chunk);
      return "";
    }
    const whole = end === chunk.length ? chunk : chunk.subarray(0, end);
    const lines = toText(this.#open.length === 0 ? whole : Buffer.concat([...this.#open, whole]));
    this.clear();
    if (end < chunk.length) this.#holdBack(chunk.subarray(end));
    return lines;
  }

  /** The last line, which has no line end. */
  rest(): string {
    return Buffer.concat(this.#open).toString("utf8");
  }

  /** Drops the incomplete line. */
  clear(): void {
    this.#open = [];
    this.#openLength = 0;
  }

  #holdBack(bytes: Uint8Array): void {
    this.#open.push(bytes);
    this.#openLength += bytes.length;
  }
}

/** Index after the last line end; 0 if there is none. */
function lineEnd(bytes: Uint8Array): number {
  // Most chunks consist of whole events.
  if (bytes[bytes.length - 1] === lineFeed) return bytes.length;
  const behind = bytes.lastIndexOf(lineFeed) + 1;
  return behind + bytes.subarray(behind).lastIndexOf(carriageReturn) + 1;
}

/** Faster than a buffer's own method if not all of the text is ASCII, once it is longer than this many bytes. */
const textDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
const shortText = 4 * 1024;

function toText(bytes: Uint8Array): string {
  if (bytes.length > shortText) return textDecoder.decode(bytes);
  const { buffer, byteOffset, byteLength } = bytes;
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength)).toString("utf8");
}

/** Callbacks for a reader of server-sent events. */
export interface EventStreamHandler {
  /** `name` is the `event` field; undefined if it is missing. */
  onEvent(data: string, name: string | undefined): void;
  /**
   * May read events from `text` itself if it recognizes them: `start` is where an event begins. Returns the index after
   * the last event that it read, or `start` if there is none. The rest is parsed.
   */
  readKnown?(text: string, start: number): number;
  /** A field called `error`, which isn't in the standard but is sent by some servers. */
  onErrorField(value: string): void;
  /**
   * Data of a last event without a blank line after it: the standard drops it, but a reader of completions may use it.
   */
  onUnterminated(data: string, name: string | undefined): void;
  /** An event is longer than allowed; `data` is the received part of it. Nothing follows. */
  onOverflow(data: string): void;
}

/** Accepts bytes as received, split anywhere. */
export interface EventStreamReader {
  push(chunk: Uint8Array): void;
  /** The body has ended. Data without a blank line after it is passed to `onUnterminated`. */
  end(): void;
}

/** Maximum bytes of one event; a longer one is treated as garbage. */
const defaultMaxLength = 64 * 1024 * 1024;

/**
 * Reads server-sent events with eventsource-parser, which is only given whole lines. Otherwise, it discards the
 * beginning of a line that isn't a standard field, so that `error:` would be lost whenever a chunk ends inside it.
 */
export function createEventStreamReader(
  handler: EventStreamHandler,
  maxLength = defaultMaxLength,
): EventStreamReader {
  const lines = new WholeLines();
  let isEnding = false;
  /** Whether the parser has no partial event; unknown before the first event, because of a byte order mark. */
  let isBetweenEvents = false;
  let isOverflown = false;

  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent({ data, event }) {
      if (isEnding) handler.onUnterminated(data, event);
      else handler.onEvent(data, event);
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") overflow();
      else if (error.type === "unknown-field" && error.field === "error")
        handler.onErrorField(error.value ?? "");
    },
  });

  function overflow(): void {
    if (isOverflown) return;
    isOverflown = true;
    const rest = lines.rest();
    lines.clear();
    handler.onOverflow(rest.startsWith("data:") ? rest.slice("data:".length) : "");
  }

  /** Reads events one by one, because the handler may recognize those that follow a blank line. */
  function feedLines(text: string): void {
    let start = 0;
    while (start < text.length) {
      if (isBetweenEvents) start = handler.readKnown?.(text, start) ?? start;
      if (start === text.length) return;
      const blankLine = findBlankLine(text, start);
      const end = blankLine === -1 ? text.length : blankLine;
      const data = isBetweenEvents && blankLine !== -1 ? onlyData(text, start, end) : undefined;
      isBetweenEvents = blankLine !== -1;
      if (data === undefined) parser.feed(text.slice(start, end));
      else handler.onEvent(data, undefined);
      start = end;
    }
  }

  return {
    push(chunk) {
      if (isOverflown) return;
      feedLines(lines.push(chunk));
      if (lines.openLength > maxLength) overflow();
    },
    end() {
      if (isOverflown) return;
      isEnding = true;
      parser.feed(`${lines.rest()}\n\n`);
    },
  };
}

/** Index after the first blank line; -1 if there is none. Two line feeds end an event, whatever precedes them. */
function findBlankLine(text: string, start: number): number {
  for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", end + 1)) {
    const next = text.charCodeAt(end + 1);
    if (next === lineFeed) return end + 2;
    if (next === carriageReturn && text.charCodeAt(end + 2) === lineFeed) return end + 3;
  }
  return -1;
}

/** The data of an event that consists of one data line; undefined for any other event. */
function onlyData(text: string, start: number, end: number): string | undefined {
  if (!text.startsWith("data:", start)) return undefined;
  const lineEnd = text.indexOf("\n", start);
  if (end - lineEnd > 3 || !/^\r?\n$/.test(text.slice(lineEnd + 1, end))) return undefined;
  const dataStart = start + (text.charAt(start + 5) === " " ? 6 : 5);
  const dataEnd = text.charCodeAt(lineEnd - 1) === carriageReturn ? lineEnd - 1 : lineEnd;
  const data = text.slice(dataStart, Math.max(dataStart, dataEnd));
  // A single carriage return ends a line as well.
  return data.includes("\r") ? undefined : data;
}
