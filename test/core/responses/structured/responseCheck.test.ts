import assert from "node:assert/strict";
import { responseJson } from "../../../../src/core/responses/structured/responseCheck.ts";

function valueOf(text: string): unknown {
  const answer = responseJson(text);
  return answer.state === "json" ? answer.value : `not JSON: ${answer.message}`;
}

describe("The JSON of a response", () => {
  it("is the response itself, with or without surrounding whitespace", () => {
    assert.deepEqual(valueOf('\n {"a": 1} \n'), { a: 1 });
    assert.equal(valueOf("null"), null);
  });

  it("is found in a code fence with sentences around it", () => {
    assert.deepEqual(valueOf('Here it is:\n```json\n{"a": [1, 2]}\n```\nBye.'), { a: [1, 2] });
    assert.deepEqual(valueOf("~~~~\n[]\n~~~~"), []);
  });

  it("is found in a fence that was never closed", () => {
    assert.deepEqual(valueOf('```json\n{"a": 1}'), { a: 1 });
  });

  it("is the first block that is JSON", () => {
    assert.deepEqual(valueOf('```ts\nlet a;\n```\n```json\n{"b": 2}\n```'), { b: 2 });
  });

  it("is missing if nothing is JSON, with the parser's message", () => {
    const answer = responseJson('{"a": 1');
    assert.ok(answer.state === "notJson");
    assert.match(answer.message, /JSON/);
  });

  it("is found in linear time among a hundred thousand fences", () => {
    const answer = responseJson("```\nno\n```\n".repeat(100_000));
    assert.equal(answer.state, "notJson");
  });
});
