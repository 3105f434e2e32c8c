import assert from "node:assert/strict";
import {
  instructionsFor,
  withInstructions,
} from "../../../../src/core/panel/settings/workspaceInstructions.ts";

describe("Instructions for a workspace", () => {
  const setting = {
    "/work/shop/": "Use tabs.",
    "/work": "Be brief.",
    "~/notes": "Write prose.",
    "C:\\code": "Use CRLF.",
    "vscode-vfs://github/acme": "Read only.",
    "": "For no folder.",
    "/": 1,
    "/work/shop/api": "   ",
  };

  it("are those for its folder and the folders above it, the most specific last", () => {
    for (const [folder, expected] of [
      ["/work/shop", ["Be brief.", "Use tabs."]],
      ["/work/shop/api", ["Be brief.", "Use tabs."]],
      ["/work/shopping", ["Be brief."]],
      ["/home/someone/notes/today", ["Write prose."]],
      ["c:/code/app", ["Use CRLF."]],
      ["/C:/code", ["Use CRLF."]],
      ["vscode-vfs://github/acme/shop", ["Read only."]],
      ["/elsewhere", []],
    ] as const)
      assert.deepEqual(instructionsFor(setting, folder, "/home/someone"), expected, folder);
    for (const odd of [undefined, null, "x", [], 1]) assert.deepEqual(instructionsFor(odd, "/work", "/"), []);
  });

  it("follow the system prompt of the preset, each of them once", () => {
    assert.deepEqual(withInstructions({ systemPrompt: "Preset." }, ["A", "B", "A"]), {
      systemPrompt: "Preset.\n\nA\n\nB",
    });
    assert.deepEqual(withInstructions({ parameters: { top_p: 1 } }, ["A"]), {
      parameters: { top_p: 1 },
      systemPrompt: "A",
    });
    const settings = { systemPrompt: "Preset." };
    assert.equal(withInstructions(settings, []), settings);
  });
});
