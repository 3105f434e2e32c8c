import type { Tree } from "../tree.ts";

/**
 * What the second bundle brings: code as coloured nodes, one list for each run of lines (`linesPerChunk`);
 * undefined for a language it doesn't know.
 */
export type Highlighter = (code: string, language: string) => readonly (readonly Tree[])[] | undefined;

/** The second bundle hands its highlighter over in an event of this name, as `detail`. */
export const highlighterEvent = "inference-gateway-highlighter";

declare global {
  interface DocumentEventMap {
    readonly [highlighterEvent]: CustomEvent<Highlighter>;
  }
}
