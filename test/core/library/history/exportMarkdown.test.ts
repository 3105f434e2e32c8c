import assert from "node:assert/strict";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import { exportFileName } from "../../../../src/core/library/history/exportPieces.ts";
import { exportText } from "../../../support/exportText.ts";
import { storedMessage } from "../../../support/storeFolder.ts";

const at = new Date(2026, 10, 21, 9, 5).getTime();

describe("exportMarkdown", () => {
  const conversation: Conversation = {
    ...{
      id: "c",
      title: "Two\nlines",
      createdAt: at,
      updatedAt: at,
      settings: { systemPrompt: "Be brief." },
    },
    messages: [
      storedMessage("q", {
        createdAt: at,
        text: "What is\n```js\n1 + 1\n```",
        attachments: [
          { type: "text", title: "a.md", text: "has ```` in it" },
          { type: "image", mediaType: "image/png", data: "aGk=" },
          { type: "audio", format: "mp3", data: "aGk=" },
        ],
      }),
      storedMessage("old", { role: "assistant", parentId: "q", text: "another version", createdAt: at }),
      storedMessage("a", {
        ...{
          role: "assistant",
          parentId: "q",
          text: "**2**",
          createdAt: at,
          model: "lab/echo",
          status: "stopped",
        },
        ...{ reasoning: "hm", toolCalls: [{ id: "t", name: "add", arguments: '{"a":1}' }] },
      }),
    ],
  };
  const text = exportText(conversation, "md");

  it("writes title, system prompt, roles, models and times", () => {
    assert.match(text, /^# Two lines\n\nStarted on 2026-11-21 09:05\.\n\n## System Prompt\n\nBe brief\./u);
    assert.match(text, /\n## You · 2026-11-21 09:05\n/u);
    assert.match(text, /\n## Assistant \(lab\/echo\) · 2026-11-21 09:05\n/u);
    assert.match(text, /\n\*Stopped\.\*\n$/u);
  });

  it("leaves code unchanged and uses longer fences around code that contains fences", () => {
    assert.ok(text.includes("What is\n```js\n1 + 1\n```\n"));
    assert.ok(text.includes("**a.md**\n\n`````\nhas ```` in it\n`````\n"));
    assert.ok(text.includes('Tool call: add\n\n```json\n{"a":1}\n```'));
    assert.ok(text.includes("<summary>Reasoning</summary>\n\n```text\nhm\n```\n\n</details>"));
  });

  it("includes images and audio", () => {
    assert.ok(text.includes("![Image](data:image/png;base64,aGk=)"));
    assert.ok(text.includes("[Audio](data:audio/mpeg;base64,aGk=)"));
  });

  it("includes only the displayed path, without other versions", () => {
    assert.ok(!text.includes("another version"));
  });
});

describe("exportFileName", () => {
  it("returns a name that every file system accepts", () => {
    assert.equal(exportFileName('What is a/b: "c"?', "md"), "What is a b c.md");
    assert.equal(exportFileName("..\\..\\etc", "json"), "etc.json");
    assert.equal(exportFileName("???", "md"), "conversation.md");
    assert.equal(exportFileName("con", "md"), "conversation con.md");
    assert.equal(exportFileName("数据库", "md"), "数据库.md");
    assert.ok(exportFileName("x".repeat(500), "md").length < 100);
  });
});
