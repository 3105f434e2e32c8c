import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { declaredSettings, diagnosticsReport } from "../../../src/core/diagnosis/diagnosticsReport.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
const settings = declaredSettings(manifest);
const canary = "canary7Q4Z";

/** A report in which these settings are changed. */
function report(changed: Readonly<Record<string, unknown>>, log: readonly string[] = []): string {
  return diagnosticsReport({
    environment: ["VS Code 1.139.1"],
    settings: settings.map((setting) => ({
      setting,
      value: changed[setting.name.replace("inferenceGateway.", "")],
    })),
    log,
  });
}

describe("The text of Copy Diagnostics", () => {
  it("contains no free text from any setting, present or future", () => {
    assert.ok(settings.length > 20);
    const poison: unknown = {
      [canary]: { [canary]: canary, systemPrompt: canary },
      name: canary,
      headers: { [canary]: canary },
    };
    for (const { name } of settings) {
      const short = name.replace("inferenceGateway.", "");
      for (const value of [
        canary,
        poison,
        [poison, canary],
        `https://user:${canary}@${canary}.test/${canary}`,
      ]) {
        const text = report({ [short]: value });
        assert.doesNotMatch(text, new RegExp(canary), name);
        assert.ok(text.includes(name), name);
      }
    }
  });

  it("shows numbers, switches and choices, and leaves out defaults", () => {
    const text = report({ maxAttempts: 7, "chat.sendWith": "ctrlEnter", "chat.generateTitles": false });
    assert.match(text, /inferenceGateway\.maxAttempts: 7/);
    assert.match(text, /inferenceGateway\.chat\.sendWith: ctrlEnter/);
    assert.match(text, /inferenceGateway\.chat\.generateTitles: false/);
    assert.doesNotMatch(text, /chat\.openIn/);
  });

  it("keeps log lines inside their block, whatever they contain", () => {
    const text = report({}, ["before", "````` outside", "after"]);
    assert.match(text, /\n``````text\nbefore\n````` outside\nafter\n``````\n/);
  });
});
