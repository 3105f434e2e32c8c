import { createParser } from "eventsource-parser";
const lineFeed = 10;
const carriageReturn = 13;

/** Makes whole lines of bytes that are cut anywhere. What ends behind a line end has no character cut either. */
export class WholeLines {
  #open: Uint8Array[] = [];
  #openLength = 0;

  /** Bytes of the line that has not ended yet. */
  get openLength(): number {
    return this.#openLength;
  }

  /** Returns the lines that are whole now, empty if the chunk ends none. */
  push(chunk: Uint8Array): string {
    const end = lineEnd(chunk);
    if (end === 0) {
      this.#holdBack(chunk);
      return "";
    }
    const lines = Buffer.concat([...this.#open, chunk.subarray(0, end)]).toString("utf8");
    this.clear();
    if (end < chunk.length) this.#holdBack(chunk.subarray(end));
    return lines;
  }

  /** The line that nothing has ended. */
  rest(): string {
    return Buffer.concat(this.#open).toString("utf8");
  }

  clear(): void {
    this.#open = [];
    this.#openLength = 0;
  }

  #holdBack(bytes: Uint8Array): void {
    this.#open.push(bytes);
    this.#openLength += bytes.length;
  }
}

/** Index behind the last line end; 0 if there is none. */
function lineEnd(bytes: Uint8Array): number {
  for (let index = bytes.length - 1; index >= 0; index--) {
    if (bytes[index] === lineFeed || bytes[index] === carriageReturn) return index + 1;
  }
  return 0;
}

/** Callbacks for a reader of server-sent events. */
export interface EventStreamHandler {
  /** `name` is the `event` field, undefined if there is none. */
  onEvent(data: string, name: string | undefined): void;
  /**
   * May read events from `text` itself, where it knows them at sight: `start` is where an event begins. Returns the
   * index behind the last event that it read, `start` if there is none. The rest goes to the parser.
   */
  readKnown?(text: string, start: number): number;
  /** A field called `error`, which the standard doesn't know and some servers send. */
  onErrorField(value: string): void;
  /** Data of a last event that no blank line closes: the standard drops it, a reader of completions may look at it. */
  onUnterminated(data: string, name: string | undefined): void;
  /** An event is longer than allowed: what is known of its data. Nothing follows. */
  onOverflow(data: string): void;
}

/** Takes bytes as they come, cut anywhere. */
export interface EventStreamReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

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
  const lines = new WholeLines();
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
    if (isOverflown) return;
    isOverflown = true;
    const rest = lines.rest();
    lines.clear();
    handler.onOverflow(rest.startsWith("data:") ? rest.slice("data:".length) : "");
  }

  /** Two line feeds end an event whatever stands before them. */
  function feedLines(text: string): void {
    let start = 0;
    while (start < text.length) {
      if (isBetweenEvents) start = handler.readKnown?.(text, start) ?? start;
      if (start === text.length) return;
      const blankLine = text.indexOf("\n\n", start);
      isBetweenEvents = blankLine !== -1;
      const end = isBetweenEvents ? blankLine + 2 : text.length;
      parser.feed(text.slice(start, end));
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
