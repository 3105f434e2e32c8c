import assert from "node:assert/strict";
import {
  slashCommands,
  isPromptFile,
  parsePromptHead,
  promptName,
  splitPrompt,
  parsePromptBody,
} from "../../../../src/core/compose/commands/slashCommands.ts";

describe("A prompt file", () => {
  it("has front matter between dashes and a body", () => {
    assert.deepEqual(splitPrompt("---\ndescription: x\nmode: agent\n---\n\nDo it.\n"), {
      head: "description: x\nmode: agent",
      body: "Do it.",
    });
    assert.deepEqual(splitPrompt("\uFEFF---\r\n---\r\nDo it."), { head: "", body: "Do it." });
  });

  it("may lack front matter or its end marker", () => {
    assert.deepEqual(splitPrompt("Do it.\n---\nMore."), { body: "Do it.\n---\nMore." });
    assert.deepEqual(splitPrompt("---\nno end"), { body: "---\nno end" });
  });

  it("has a one-line name and description, whatever else the front matter contains", () => {
    assert.deepEqual(parsePromptHead({ description: "One\ntwo", name: 7, tools: ["a"], model: {} }), {
      description: "One two",
    });
    assert.deepEqual(parsePromptHead(["a"]), {});
    assert.deepEqual(parsePromptHead(null), {});
  });

  it("has a one-word command name", () => {
    assert.equal(promptName("review.prompt.md", {}), "review");
    assert.equal(promptName("x.prompt.md", { name: "My review / fast" }), "My-review-fast");
    assert.ok(isPromptFile("a.prompt.md") && !isPromptFile(".prompt.md") && !isPromptFile("a.md"));
  });
});

describe("A prompt's body", () => {
  it("is split at variables and references", () => {
    const body =
      "Look at ${selection} in ${file}, for ${input:goal:What for?} see #file:../a.md and [rules](b%20c.md).";
    assert.deepEqual(parsePromptBody(body), [
      { type: "text", text: "Look at " },
      { type: "selection", source: "${selection}" },
      { type: "text", text: " in " },
      { type: "file", source: "${file}" },
      { type: "text", text: ", for " },
      { type: "input", name: "goal", placeholder: "What for?", source: "${input:goal:What for?}" },
      { type: "text", text: " see " },
      { type: "reference", path: "../a.md", source: "#file:../a.md" },
      { type: "text", text: " and " },
      { type: "reference", path: "b c.md", source: "[rules](b%20c.md)" },
      { type: "text", text: "." },
    ]);
  });

  it("keeps all other text unchanged", () => {
    for (const body of [
      "${unknown} ${env:HOME}",
      "[a](https://b.c)",
      "[a](#top)",
      "[a](command:x)",
      "#file:",
      "plain",
      "",
    ]) {
      assert.equal(
        parsePromptBody(body)
          .map((piece) => (piece.type === "text" ? piece.text : "?"))
          .join(""),
        body,
      );
    }
  });

  it("loses no character, however long it is", () => {
    const body = "${input:a} [x".repeat(20_000);
    const pieces = parsePromptBody(body);
    assert.equal(pieces.map((piece) => (piece.type === "text" ? piece.text : piece.source)).join(""), body);
  });
});

describe("The slash commands", () => {
  it("are those that the documentation lists", () => {
    assert.deepEqual(
      slashCommands().map(({ name }) => name),
      ["explain", "fix", "tests", "doc", "commit", "clear", "model", "system"],
    );
  });
});
