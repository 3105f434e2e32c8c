import assert from "node:assert/strict";
import { createSettingsForm, readSettingsForm } from "../../../../src/core/panel/settings/settingsForm.ts";
import type { SettingsForm } from "../../../../src/core/panel/settings/settingsForm.ts";

const empty = createSettingsForm({});

function read(change: Partial<SettingsForm>, base = {}) {
  return readSettingsForm({ ...empty, ...change }, base);
}

describe("The form of a conversation's settings", () => {
  it("omits empty fields, so that nothing is sent for them", () => {
    assert.deepEqual(read({ systemPrompt: "  \n", stop: "\n" }), { isValid: true, settings: {} });
  });

  it("restores the saved values", () => {
    const settings = {
      systemPrompt: "Be brief.",
      parameters: {
        temperature: 0.2,
        top_p: 0.9,
        max_tokens: 512,
        seed: -7,
        presence_penalty: -1.5,
        frequency_penalty: 2,
        stop: ["END", "\n\n", "a\\nb"],
        reasoning_effort: "low",
        response_format: { type: "json_object" },
        top_k: 40,
        logit_bias: { "50256": -100 },
      },
      tools: ["lab_add"],
      whenTooLong: "files",
    } as const;
    assert.deepEqual(readSettingsForm(createSettingsForm(settings), settings), { isValid: true, settings });
  });

  it("keeps the schema of a response format that it doesn't show, until another format is selected", () => {
    const format = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };
    const base = { parameters: { response_format: format } };
    const form = createSettingsForm(base);
    assert.deepEqual(readSettingsForm(form, base), { isValid: true, settings: base });
    assert.deepEqual(readSettingsForm({ ...form, response_format: "text" }, base), {
      isValid: true,
      settings: { parameters: { response_format: { type: "text" } } },
    });
  });

  it("reports the problem of each invalid field", () => {
    const problems = {
      temperature: "Temperature must be a number from 0 to 2.",
      max_tokens: "Max tokens must be a whole number of at least 1.",
      seed: "Seed must be a whole number.",
      other: "“temperature” has its own field above.",
    };
    const form = { temperature: "2.1", max_tokens: "0", seed: "one", other: '{"temperature": 1}' };
    assert.deepEqual(read(form), { isValid: false, problems });
  });

  it("rejects fields that the chat itself sets, and anything that isn't an object", () => {
    const problem = (other: string): string | undefined => {
      const reading = read({ other });
      return reading.isValid ? undefined : reading.problems.other;
    };
    assert.equal(problem('{"stream": false}'), "“stream” is set automatically by the chat.");
    for (const text of ["[1]", "{", "40", "null"]) assert.match(problem(text) ?? "", /must be a JSON object/);
    assert.equal(problem('{"top_k": 40, "nested": {"a": [null]}}'), undefined);
  });

  it("accepts a decimal comma", () => {
    assert.deepEqual(read({ temperature: "0,7" }), {
      isValid: true,
      settings: { parameters: { temperature: 0.7 } },
    });
  });
});
