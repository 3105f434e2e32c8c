import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { toolNames } from "../../../src/core/agentTools/toolNames.ts";
import { agentTools, inputSchema, parseToolInput } from "../../../src/core/agentTools/toolTable.ts";

function problemOf(name: (typeof toolNames)[number], value: unknown): string {
  const parsed = parseToolInput(name, value);
  return "problem" in parsed ? parsed.problem : "";
}

describe("The table of tools for agents", () => {
  it("has schemas that are valid and describe every input", () => {
    const ajv = new Ajv({ strict: true });
    for (const name of toolNames) {
      ajv.compile(inputSchema(name));
      for (const [field, { description }] of Object.entries(agentTools[name].fields))
        assert.ok(description.length > 10, `${name}.${field}`);
    }
  });

  it("accepts exactly what its schemas accept", () => {
    const ajv = new Ajv({ strict: true });
    const inputs: readonly unknown[] = [
      {},
      { limit: 5 },
      { offset: 0 },
      { offset: 700, limit: 5 },
      { offset: -1 },
      { offset: 1.5 },
      { limit: 0 },
      { limit: 1.5 },
      { limit: "5" },
      { limit: 1_000_000 },
      { text: "a" },
      { text: 5 },
      { text: "x".repeat(301) },
      { server: "a" },
      { server: ["a"] },
      { state: "running" },
      { state: "Running" },
      { input: "image" },
      { profile: {} },
      { surprise: 1 },
      { __proto__: null, constructor: "x" },
      [],
      "text",
      17,
    ];
    for (const name of toolNames) {
      const accepts = ajv.compile(inputSchema(name));
      for (const input of inputs)
        assert.equal(problemOf(name, input) === "", accepts(input), `${name} ${JSON.stringify(input)}`);
    }
  });

  it("reports what is wrong with an input so that a model can correct it", () => {
    assert.equal(
      problemOf("list_servers", { zone: "a" }),
      "There is no input “zone”. The inputs are: state, gpu, region, text, profile, limit, offset.",
    );
    assert.equal(problemOf("get_server", {}), "The input “server” is required.");
    assert.equal(problemOf("get_server", { server: "  " }), "“server” must not be empty.");
    assert.equal(problemOf("list_servers", { limit: 201 }), "“limit” must be a whole number from 1 to 200.");
    assert.equal(problemOf("list_models", { input: "video" }), "“input” must be one of: image, audio.");
  });

  it("treats null and a missing input like one that is left out", () => {
    assert.deepEqual(parseToolInput("search_conversations", { text: "a", limit: null }), {
      input: { text: "a", limit: 10 },
    });
    assert.equal(problemOf("check_gateway", undefined), "");
  });

  it("is explained completely by the skill", () => {
    const skill = readFileSync(
      new URL("../../../media/skills/gpu-servers/SKILL.md", import.meta.url),
      "utf8",
    );
    assert.match(skill, /^---\nname: gpu-servers\ndescription: .{40,1000}\n---\n/);
    for (const name of toolNames) assert.ok(skill.includes(`\`${name}\``), name);
  });
});
