import assert from "node:assert/strict";
import fc from "fast-check";
import { renderPieces, renderWhole } from "../webview/support/render.ts";

/** What a response is made of, whole and cut: all that Markdown gives a meaning, in any order. */
const fragment = fc.constantFrom(
  ..."\n|\n\n| |  |    |\t|a|word |的|。|é|#|# |- |* |1. |1) |> |`|``|```|~~~|```py\n|*|**|_|~~|$|$$|\\(|\\)|\\[|\\]|\\|[|]|(|)|![|](|<|>|<br>|</b>|&|&amp;|&#x".split(
    "|",
  ),
  ..."=|=== |---|***|___|:|www.|https://a.b/c|a@b.c|[^1]|[^1]: |[a]: |[ ] |[x] |😀|\u0301|\u200d|\ud83d".split(
    "|",
  ),
  ...[
    "|",
    "| - |\n",
    "|a|b|\n|-|-|\n",
    "\r\n",
    "\r",
    "C:\\a\\b",
    "\\begin{x}",
    "\\end{x}",
    "<!--",
    "-->",
    "\0",
  ],
);

const text = fc.array(fragment, { maxLength: 40 }).map((fragments) => fragments.join(""));
const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 });

function cut(whole: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < whole.length;) {
    const size = sizes[pieces.length % sizes.length] ?? 1;
    pieces.push(whole.slice(start, start + size));
    start += size;
  }
  return pieces;
}

describe("Properties of rendering, for any response", () => {
  it("the nodes are the same, however the response is split and wherever an open block is cut", () => {
    fc.assert(
      fc.property(text, lengths, fc.constantFrom(undefined, 0), (response, sizes, cutAbove) => {
        const options = cutAbove === undefined ? {} : { cutAbove };
        assert.equal(renderPieces(cut(response, sizes), options), renderWhole(response));
      }),
      { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) },
    );
  });
});
