import assert from "node:assert/strict";
import { changePresets } from "../../../src/core/panel/settings/chatPreferences.ts";
import {
  applyPreset,
  findPreset,
  initialSettings,
  parsePresets,
} from "../../../src/core/conversation/presets.ts";
import { settingsSummary } from "../../../src/core/panel/settings/settingsSummary.ts";

const reviewer = { systemPrompt: "You review.", parameters: { temperature: 0.1 } };
const presets = parsePresets({ Reviewer: reviewer, broken: 3 });

describe("Presets", () => {
  it("are the built-in ones and the user's own, and a user's preset replaces a built-in one of the same name", () => {
    assert.deepEqual(
      presets.map(({ name }) => name),
      ["Precise", "Balanced", "Creative", "Reviewer"],
    );
    const [first] = parsePresets({ Precise: { parameters: { seed: 1 } } }).filter(
      ({ name }) => name === "Precise",
    );
    assert.deepEqual(first, { name: "Precise", parameters: { seed: 1 }, isBuiltIn: false });
  });

  it("don't change the tools, the response format or, if they have none, the system prompt", () => {
    const settings = {
      systemPrompt: "Mine.",
      tools: ["a"],
      parameters: { seed: 1, response_format: { type: "json_object" } },
    };
    const [precise] = presets;
    assert.ok(precise);
    assert.deepEqual(applyPreset(settings, precise), {
      systemPrompt: "Mine.",
      tools: ["a"],
      parameters: { temperature: 0.2, response_format: { type: "json_object" } },
    });
  });

  it("are recognized in settings, whatever the order of their parameters", () => {
    assert.equal(findPreset({ parameters: { top_p: 0.95, temperature: 1 } }, presets)?.name, "Creative");
    assert.equal(findPreset({ parameters: { temperature: 0.1 } }, presets), undefined);
    assert.equal(findPreset(reviewer, presets)?.name, "Reviewer");
  });

  it("initialize new chats if one of them is the default", () => {
    assert.deepEqual(initialSettings({ presets }), {});
    assert.deepEqual(initialSettings({ presets, defaultPreset: "gone" }), {});
    assert.deepEqual(initialSettings({ presets, defaultPreset: "Reviewer" }), reviewer);
  });

  it("are saved and deleted by name, and other entries of the setting are kept", () => {
    const changed = changePresets({ broken: 3 }, "New", { parameters: { seed: 1 } });
    assert.deepEqual(changed, { broken: 3, New: { parameters: { seed: 1 } } });
    assert.deepEqual(changePresets(changed, "New"), { broken: 3 });
  });
});

describe("The summary of settings", () => {
  it("names the preset, or else lists the differences from the service's defaults", () => {
    assert.deepEqual(settingsSummary({}, presets), []);
    assert.deepEqual(settingsSummary({ systemPrompt: "x", parameters: { temperature: 0.2 } }, presets), [
      "Precise",
      "system prompt",
    ]);
    const parameters = { temperature: 0.3, max_tokens: 9, seed: 4, response_format: { type: "text" } };
    assert.deepEqual(settingsSummary({ parameters }, presets), [
      "temp 0.3",
      "max 9 tokens",
      "seed 4",
      "text",
    ]);
  });

  it("omits the response format, which is shown separately", () => {
    const parameters = { seed: 4, response_format: { type: "json_object" } };
    assert.deepEqual(settingsSummary({ parameters }, presets), ["seed 4"]);
  });
});
