import assert from "node:assert/strict";
import { optionsOfModel, parseModelOptions } from "../../../src/core/account/modelOptions.ts";

function parse(value: unknown) {
  const problems: string[] = [];
  return { table: parseModelOptions(value, (problem) => problems.push(problem)), problems };
}

describe("The model options of a profile", () => {
  it("apply to one model, or to all with an asterisk", () => {
    const { table, problems } = parse({
      "*": { stream: false, maxOutputTokens: 1000 },
      "lab/one": { stream: true, systemRole: "developer" },
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(optionsOfModel(table, "lab/one"), {
      stream: true,
      maxOutputTokens: 1000,
      systemRole: "developer",
    });
    assert.deepEqual(optionsOfModel(table, "constructor"), { stream: false, maxOutputTokens: 1000 });
    assert.deepEqual(optionsOfModel(undefined, "lab/one"), {});
  });

  it("are reported and ignored where they are invalid, without losing the others", () => {
    const { table, problems } = parse({
      "lab/one": { stream: "no", maxOutputTokens: 0, systemRole: "root" },
      "lab/two": 7,
      "lab/three": { stream: false },
    });
    assert.deepEqual(table, { "lab/one": {}, "lab/two": {}, "lab/three": { stream: false } });
    assert.equal(problems.length, 4);
    assert.equal(parse([]).problems.length, 1);
    assert.deepEqual(parse(undefined), { table: undefined, problems: [] });
  });
});
