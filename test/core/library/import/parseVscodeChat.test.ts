import assert from "node:assert/strict";
import { importOf, importOne, only, png } from "./importValue.ts";

describe("An import of a chat from VS Code", () => {
  it("reads a chat exported by VS Code, with its tools, edits, images and errors", () => {
    const request = {
      requestId: "request_1",
      message: { text: "Fix it", parts: [{ kind: "text", text: "Fix it" }] },
      variableData: {
        variables: [
          {
            kind: "image",
            name: "shot.png",
            value: Object.fromEntries([...Buffer.from(png, "base64")].entries()),
          },
          { kind: "file", name: "a.ts", value: { uri: { path: "/a.ts", scheme: "file" } } },
          { kind: "paste", name: "Pasted", code: "let a" },
        ],
      },
      response: [
        { kind: "mcpServersStarting", didStartServerIds: [] },
        { kind: "thinking", value: "Hm", id: "t" },
        { value: "Looking at ", supportHtml: false },
        { kind: "inlineReference", inlineReference: { path: "/src/a.ts", scheme: "file" } },
        {
          kind: "toolInvocationSerialized",
          toolId: "copilot_readFile",
          toolCallId: "call_1",
          pastTenseMessage: { value: "Read a.ts" },
          isComplete: true,
        },
        { kind: "undoStop", id: "u" },
        { value: "Fixed." },
        { kind: "textEditGroup", uri: { path: "/src/a.ts" }, edits: [[{ text: "let b;", range: {} }]] },
      ],
      responseId: "response_1",
      result: { errorDetails: { message: "Rate limited" } },
      modelId: "copilot/gpt-4.1",
      timestamp: 1_720_000_000_500,
    };
    const imported = importOf({
      responderUsername: "GitHub Copilot",
      initialLocation: "panel",
      requests: [request],
    });
    const { messages, title, id } = only(imported);
    assert.deepEqual([title, id, imported.leftOut], ["Fix it", "vscode-request_1", 1]);
    assert.deepEqual(
      messages.map(({ role, text, toolCallId }) => [role, text.trim(), toolCallId]),
      [
        ["user", "Fix it", undefined],
        ["assistant", "Looking at `a.ts`", undefined],
        ["tool", "Read a.ts", "call_1"],
        ["assistant", "Fixed.\n\n`/src/a.ts`\n\n```\nlet b;\n```", undefined],
      ],
    );
    assert.deepEqual(messages[0]?.attachments, [
      { type: "image", mediaType: "image/png", data: png, title: "shot.png" },
      { type: "text", text: "let a", title: "Pasted" },
    ]);
    assert.deepEqual(messages[1]?.toolCalls, [{ id: "call_1", name: "copilot_readFile", arguments: "{}" }]);
    assert.deepEqual([messages[1]?.reasoning, messages[1]?.model], ["Hm", "gpt-4.1"]);
    assert.equal(messages[3]?.error?.message, "Rate limited");
  });

  it("takes the commands and output of terminals from VS Code's chats", () => {
    const part = {
      ...{ kind: "toolInvocationSerialized", toolId: "run_in_terminal", toolCallId: "t" },
      toolSpecificData: {
        ...{ kind: "terminal", commandLine: { original: "ls", toolEdited: "ls -a" } },
        terminalCommandOutput: { text: "a b", lineCount: 1 },
      },
      pastTenseMessage: { value: "Ran" },
    };
    const { conversation } = importOne({ requests: [{ message: "List", response: [part] }] });
    assert.deepEqual(
      conversation.messages.slice(1).map(({ text: shown, toolCalls }) => [shown, toolCalls[0]?.arguments]),
      [
        ["", '{"command":"ls -a"}'],
        ["a b", undefined],
      ],
    );
  });
});
