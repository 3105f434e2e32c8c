import { MarkdownStream } from "../../../src/webview/markdown/markdownStream.ts";
import { describeNode, FakeTarget } from "./fakeTarget.ts";

/** Renders the text as a whole. */
export function renderWhole(text: string): string {
  return renderPieces([text], { cutAbove: Number.POSITIVE_INFINITY });
}

/** Renders piece by piece, with a frame after each. No time passes between them. */
export function renderPieces(
  pieces: readonly string[],
  options: { readonly cutAbove?: number } = {},
): string {
  const target = new FakeTarget();
  const root = target.element("main", {});
  const stream = new MarkdownStream(target, root, { ...options, now: () => 0 });
  for (const piece of pieces) {
    stream.append(piece);
    stream.render();
    stream.updateReferences();
  }
  stream.finish();
  stream.updateReferences();
  return describeNode(root);
}

/** Each UTF-16 code unit as a separate piece. */
export function splitUnits(text: string): readonly string[] {
  return text.split("");
}

/** Pieces of 1 to `longest` code units, always the same for the same seed. */
export function splitAtRandom(text: string, random: () => number, longest: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const length = 1 + Math.floor(random() * longest);
    pieces.push(text.slice(start, start + length));
    start += length;
  }
  return pieces;
}
