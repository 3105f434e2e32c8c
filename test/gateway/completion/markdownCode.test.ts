import assert from "node:assert/strict";
import { passCode } from "../../../src/gateway/completion/markdownCode.ts";
import type { CodeState } from "../../../src/gateway/completion/markdownCode.ts";
import { createRandom, pick } from "../../support/random.ts";

/** The state after the text, found one character at a time. */
function stateAfter(text: string, { isInFence, isInCode }: CodeState): CodeState {
  for (const [mark] of text.matchAll(/```|`|\n/g)) {
    if (mark === "```") isInFence = !isInFence;
    else if (mark === "\n") isInCode = false;
    else if (!isInFence) isInCode = !isInCode;
  }
  return { isInFence, isInCode };
}

describe("Code in Markdown", () => {
  it("is followed from one part to the next, whatever they contain", () => {
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const random = createRandom(seed);
      let state: CodeState = { isInFence: false, isInCode: false };
      let text = "";
      for (let part = 0; part < 4; part += 1) {
        const marks = Array.from({ length: random() * 6 }, () =>
          pick(random, ["`", "```\n", "\n", "a", " "]),
        );
        // A run of backticks isn't split between two parts.
        const next = `${marks.join("")}.`;
        state = passCode(state, next);
        text += next;
      }
      const expected = stateAfter(text, { isInFence: false, isInCode: false });
      assert.equal(state.isInFence, expected.isInFence, JSON.stringify(text));
      if (!state.isInFence) assert.equal(state.isInCode, expected.isInCode, JSON.stringify(text));
    }
  });
});
