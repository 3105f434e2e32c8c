import { createParser } from "eventsource-parser";
import { WholeLines } from "./wholeLines.ts";

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
