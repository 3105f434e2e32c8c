import { createParser } from "eventsource-parser";

/** What a reader of server-sent events is told. */
export interface EventStreamHandler {
  /** `name` is the `event` field, undefined where there is none. */
  onEvent(data: string, name: string | undefined): void;
  /**
   * May read events from `text` itself, where it knows them at sight: `start` is where an event begins. Returns the
   * index behind the last event that it read, `start` where there is none. The rest goes to the parser.
   */
  readKnown?(text: string, start: number): number;
  /** A field called `error`, which the standard doesn't know and some servers send. */
  onErrorField(value: string): void;
  /** Data of a last event that no blank line closes: the standard drops it, a reader of completions may look at it. */
  onUnterminated(data: string, name: string | undefined): void;
  /** An event is longer than allowed; nothing is told after this. */
  onOverflow(): void;
}

/** Takes bytes as they come, cut anywhere. */
export interface EventStreamReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

const lineFeed = 10;
const carriageReturn = 13;
/** Bytes that one event may have before it counts as nonsense. */
const defaultMaxLength = 64 * 1024 * 1024;

/**
 * Reads server-sent events with eventsource-parser, which is given whole lines only: left alone it forgets the
 * beginning of a line that is none of its fields, so that `error:` would be lost wherever a chunk ends inside it.
 */
export function createEventStreamReader(
  handler: EventStreamHandler,
  maxLength = defaultMaxLength,
): EventStreamReader {
  let openLine: Uint8Array[] = [];
  let openLength = 0;
  let isEnding = false;
  /** Whether the parser holds nothing of an event; unknown before the first, because of a byte order mark. */
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
    isOverflown = true;
    openLine = [];
    handler.onOverflow();
  }

  /** Cut behind a line end, no character is cut either: what is fed is decoded in one piece. */
  function push(chunk: Uint8Array): void {
    const end = lineEnd(chunk);
    if (end === 0) return holdBack(chunk);
    const lines = Buffer.concat([...openLine, chunk.subarray(0, end)]).toString("utf8");
    openLine = [];
    openLength = 0;
    if (end < chunk.length) holdBack(chunk.subarray(end));
    feedLines(lines);
  }

  function holdBack(bytes: Uint8Array): void {
    openLine.push(bytes);
    openLength += bytes.length;
    if (openLength > maxLength) overflow();
  }

  /** Two line feeds end an event whatever stands before them. */
  function feedLines(lines: string): void {
    let start = 0;
    while (start < lines.length) {
      if (isBetweenEvents) start = handler.readKnown?.(lines, start) ?? start;
      if (start === lines.length) return;
      const blankLine = lines.indexOf("\n\n", start);
      isBetweenEvents = blankLine !== -1;
      const end = isBetweenEvents ? blankLine + 2 : lines.length;
      parser.feed(lines.slice(start, end));
      start = end;
    }
  }

  return {
    push(chunk) {
      if (!isOverflown) push(chunk);
    },
    end() {
      if (isOverflown) return;
      const rest = Buffer.concat(openLine).toString("utf8");
      isEnding = true;
      parser.feed(`${rest}\n\n`);
    },
  };
}

/** Index behind the last line end; 0 where there is none. */
function lineEnd(bytes: Uint8Array): number {
  for (let index = bytes.length - 1; index >= 0; index--) {
    if (bytes[index] === lineFeed || bytes[index] === carriageReturn) return index + 1;
  }
  return 0;
}
