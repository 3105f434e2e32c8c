import { ThinkTagSplitter } from "../../../src/gateway/completion/thinkTags.ts";
import { assertLinearWork } from "../../support/countedWork.ts";

describe("Reasoning in the content", () => {
  for (const [name, before] of [
    ["in a fence", "```\n"],
    ["in a sentence", "The mark "],
    ["after a block", "<think>a</think>"],
    ["after a block, opening ones", "<think>a</think>The mark <think> "],
  ] as const)
    it(`is looked for in linear time if there are many tags ${name}`, () =>
      assertLinearWork(
        500,
        (size) => before + "</think> ".repeat(size),
        (text) => {
          const splitter = new ThinkTagSplitter();
          splitter.split(text);
          splitter.end();
        },
      ));
});
