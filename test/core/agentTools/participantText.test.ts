import assert from "node:assert/strict";
import { isAttachedByUser, participantQuestion } from "../../../src/core/agentTools/participantText.ts";

describe("What is attached to a question in a chat", () => {
  it("is distinguished from what VS Code adds itself", () => {
    const ids = ["vscode.implicit.viewport", "vscode.prompt.instructions__file:///a.md", "file:///a.ts"];
    assert.deepEqual(
      ids.filter((id) => isAttachedByUser({ id })),
      ["file:///a.ts"],
    );
    assert.equal(isAttachedByUser({ id: "vscode.implicit.file", range: [0, 5] }), true);
  });
});

describe("A command in a chat", () => {
  it("asks the model, along with what the user adds", () => {
    assert.match(
      participantQuestion("servers", " which are running? "),
      /GPU servers.*\n\nwhich are running\?$/,
    );
    assert.match(participantQuestion("models", ""), /models.*\.$/);
    assert.equal(participantQuestion(undefined, " Lab? "), "Lab?");
    assert.equal(participantQuestion(undefined, " "), "");
  });
});
