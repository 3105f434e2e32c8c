import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkTypes } from "../../../src/core/suites/parseCheck.ts";
import { parseSuite } from "../../../src/core/suites/parseSuite.ts";
import { plainValue } from "../../../src/core/suites/sourceNode.ts";
import { readYaml } from "../../../src/workers/suites/readYaml.ts";
import { validateJson } from "../../../src/workers/responses/validateJson.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../../media/prompts.schema.json", import.meta.url), "utf8"),
);

/** What the editor's schema and our own parser report about the same text. */
function verdicts(text: string): readonly [boolean, boolean] {
  const yaml = readYaml(text);
  assert.ok("root" in yaml);
  const verdict = validateJson(schema, JSON.stringify(plainValue(yaml.root)));
  return [verdict.state === "valid", parseSuite(yaml.root).problems.length === 0];
}

describe("The JSON Schema of prompt suites", () => {
  it("names every check", () => {
    const described = schema.definitions.checks.items.oneOf[1].properties;
    assert.deepEqual(Object.keys(described).toSorted(), [...checkTypes].toSorted());
  });

  it("accepts and rejects the same suites as the extension", () => {
    const good = [
      "cases: [{ prompt: a }]",
      "cases: [{ messages: [{ content: a }], checks: [accepted, { contains: [a, 1] }] }]",
      "judge: { minScore: 1 }\nconcurrency: 3\ncases: [{ prompt: 1, checks: [{ matches: { pattern: a, flags: im } }] }]",
      "presets: [{ name: a, parameters: { seed: 1 } }]\nmodels: a\ncases: [{ name: x, prompt: a, presets: [{ name: b }] }]",
      "checks: [{ maxCost: 1 }, { jsonSchema: true }]\ncases: [{ prompt: a, attachments: [b.png] }]",
    ];
    const bad = [
      "models: [a]",
      "cases: [{ name: a }]",
      "cases: [{ prompt: a, messages: [] }]",
      "cases: [{ prompt: a, check: [] }]",
      "cases: [{ prompt: a, checks: [{ contians: a }] }]",
      "cases: [{ prompt: a, checks: [{ maxTotalMs: 0 }] }]",
      "cases: [{ prompt: a, checks: [{ matches: { pattern: a, flags: g } }] }]",
      "concurrency: 99\ncases: [{ prompt: a }]",
    ];
    for (const text of good) assert.deepEqual(verdicts(text), [true, true], text);
    for (const text of bad) assert.deepEqual(verdicts(text), [false, false], text);
  });
});
