const openTag = "<think>";
const closeTag = "</think>";

/** Where the two kinds of text go. */
export interface ThinkTagHandler {
  onText(text: string): void;
  onReasoning(text: string): void;
}

export interface ThinkTagSplitter {
  write(text: string): void;
  /** No text follows: what was held back is told. */
  end(): void;
}

/**
 * Takes `<think>…</think>` out of the content, however it is split over deltas: only at the very start (after white
 * space), because anywhere else a tag is what the answer is about. A block that never closes stays reasoning.
 */
export function createThinkTagSplitter(handler: ThinkTagHandler): ThinkTagSplitter {
  let phase: "start" | "reasoning" | "text" = "start";
  /** Deltas at the start that may still become a tag; they keep their borders if they don't. */
  let heldDeltas: string[] = [];
  /** End of the reasoning that may be the beginning of the closing tag. */
  let heldEnd = "";

  function writeStart(text: string): void {
    heldDeltas.push(text);
    const start = heldDeltas.join("").trimStart();
    if (start.startsWith(openTag)) {
      heldDeltas = [];
      phase = "reasoning";
      writeReasoning(start.slice(openTag.length));
    } else if (!openTag.startsWith(start)) {
      releaseStart();
    }
  }

  function releaseStart(): void {
    phase = "text";
    for (const delta of heldDeltas) handler.onText(delta);
    heldDeltas = [];
  }

  function writeReasoning(text: string): void {
    const all = heldEnd + text;
    const close = all.indexOf(closeTag);
    const end = close === -1 ? all.length - heldLength(all) : close;
    if (end > 0) handler.onReasoning(all.slice(0, end));
    heldEnd = close === -1 ? all.slice(end) : "";
    if (close === -1) return;
    phase = "text";
    const rest = all.slice(close + closeTag.length);
    if (rest !== "") handler.onText(rest);
  }

  return {
    write(text) {
      if (phase === "text") handler.onText(text);
      else if (phase === "start") writeStart(text);
      else writeReasoning(text);
    },
    end() {
      if (phase === "start") releaseStart();
      if (heldEnd !== "") handler.onReasoning(heldEnd);
      heldEnd = "";
    },
  };
}

/** Length of the longest end of the text that the closing tag may begin with. */
function heldLength(text: string): number {
  for (let length = Math.min(closeTag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(closeTag.slice(0, length))) return length;
  }
  return 0;
}
