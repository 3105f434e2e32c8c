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

function toText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
}

/** Callbacks for a reader of server-sent events. */
export interface EventStreamHandler {
  /** `name` is the `event` field; undefined if it is missing. */
  onEvent(data: string, name: string | undefined): void;
  /** A line that isn't a field, such as JSON after the last event, or `error: …`, which some servers send. */
  onOtherLine(line: string): void;
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

/** A line that is an event of its own: some servers end events with one line end instead of two. */
const wholeEvent = /^data: ?(?:\{|\[DONE\])/;
const joinedEvents = /^(data: ?\{.*\}\r?\n)(?=data: ?(?:\{|\[DONE\]))/gm;

/** Maximum bytes of one event; a longer one is treated as garbage. */
const defaultMaxLength = 64 * 1024 * 1024;

/**
 * Reads server-sent events with eventsource-parser, which is only given whole lines. Otherwise, it discards the
 * beginning of a line that isn't a standard field, so that it would be lost whenever a chunk ends inside it.
 */
export function createEventStreamReader(
  handler: EventStreamHandler,
  maxLength = defaultMaxLength,
): EventStreamReader {
  const lines = new WholeLines();
  let isEnding = false;
  let isOverflown = false;
  let tail = "";

  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent({ data, event }) {
      if (isEnding) handler.onUnterminated(data, event);
      else handler.onEvent(data, event);
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") overflow();
      else if (error.type === "unknown-field") handler.onOtherLine(error.line ?? "");
    },
  });

  function overflow(): void {
    if (isOverflown) return;
    isOverflown = true;
    const rest = lines.rest();
    lines.clear();
    handler.onOverflow(rest.startsWith("data:") ? rest.slice("data:".length) : "");
  }

  /** Inserts the blank lines that are missing between events. */
  function separate(text: string): string {
    const lineEnd = tail.endsWith("\r") && text.startsWith("\n") ? "\n" : "";
    const rest = text.slice(lineEnd.length);
    const isJoined = /\}(?:\r\n?|\n)$/.test(tail + lineEnd) && wholeEvent.test(rest);
    tail = (tail + text.slice(-3)).slice(-3);
    const hasJoined = rest.includes("}\ndata:") || rest.includes("}\r\ndata:");
    return lineEnd + (isJoined ? "\n" : "") + (hasJoined ? rest.replace(joinedEvents, "$1\n") : rest);
  }

  return {
    push(chunk) {
      if (isOverflown) return;
      parser.feed(separate(lines.push(chunk)));
      if (lines.openLength > maxLength) overflow();
    },
    end() {
      if (isOverflown) return;
      isEnding = true;
      parser.feed(`${lines.rest()}\n\n`);
    },
  };
}
