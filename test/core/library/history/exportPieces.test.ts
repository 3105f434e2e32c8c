import assert from "node:assert/strict";
import { distinctFindings, maskFindings } from "../../../../src/core/compose/send/secretFinding.ts";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import {
  exportPieces,
  exportFileName,
  searchedTexts,
} from "../../../../src/core/library/history/exportPieces.ts";
import { parseOwnExport } from "../../../../src/core/library/import/parseOwnExport.ts";
import { createPause } from "../../../../src/vscode/shell/pause.ts";
import { findAllSecrets } from "../../../../src/core/account/secrets/scanSecrets.ts";
import { exportText } from "../../../support/exportText.ts";
import { storedMessage } from "../../../support/storeFolder.ts";
import { FakeSecrets } from "../../account/secrets/fakeSecrets.ts";

const fake = new FakeSecrets(41);

function conversationOf(texts: readonly string[]): Conversation {
  const messages = texts.map((text, index) =>
    storedMessage(`m${index}`, { text, ...(index === 0 ? {} : { parentId: `m${index - 1}` }) }),
  );
  return { id: "c", title: "Chat", createdAt: 1, updatedAt: 2, messages };
}

describe("An exported conversation", () => {
  it("has the sources of responses", () => {
    const sources = [{ url: "https://a.example", title: "A page" }];
    const messages = [storedMessage("m", { text: "So [1].", sources })];
    const text = [...exportPieces({ ...conversationOf([]), messages }, "text", 0)].join("");
    assert.match(text, /So \[1\]\.\n\n\*\*Sources\*\*\n\n1\. \[A page\]\(<https:\/\/a\.example>\)/);
  });

  for (const format of ["md", "json"] as const) {
    it(`holds no secret after masking, and is complete otherwise: ${format}`, async () => {
      const secret = fake.random(40);
      const conversation = conversationOf(["Hello", `a\nconst apiKey = "${secret}";\n"end"`]);
      const texts = [...searchedTexts(conversation, format)];
      const found = await Promise.all(texts.map((text) => findAllSecrets(text, createPause())));
      const findings = distinctFindings(found.flat());
      const mask = (text: string): string => maskFindings(text, findings);
      const masked = [...exportPieces(conversation, format, 0, mask)].join("");
      assert.ok(!masked.includes(secret));
      assert.match(masked, /const apiKey = \\?"\[masked: /);
      assert.match(masked, /end/);
      if (format === "json") assert.equal(JSON.parse(masked).conversations[0].messages[0].text, "Hello");
    });

    it(`comes in pieces of one message, however long it is: ${format}`, () => {
      const longest = (count: number): number =>
        Math.max(
          ...Array.from(
            exportPieces(conversationOf(Array<string>(count).fill("x".repeat(1_000))), format, 0),
            (piece) => piece.length,
          ),
        );
      assert.ok(longest(2_000) < longest(20) + 100);
      assert.ok(longest(20) < 2_000);
    });

    it(`is not searched for secrets inside its images and audio: ${format}`, () => {
      const link = `data:image/png;base64,${fake.base64(4_000)}`;
      const data = fake.base64(4_000);
      const attachments = [{ type: "image", mediaType: "image/png", data }] as const;
      const messages = [storedMessage("m", { text: link, attachments })];
      const conversation = { ...conversationOf([]), messages };
      const searched = [...searchedTexts(conversation, format)].join("");
      assert.ok(searched.includes("data:image/png;base64,"));
      assert.ok(searched.length < 1_000, `${searched.length}`);
      const masked = [...exportPieces(conversation, format, 0, (text) => text.replaceAll(data, ""))].join("");
      assert.ok(masked.includes(data), "An image isn't damaged by a finding in it.");
    });
  }

  it("keeps its tags when it is imported again, and doesn't name the path of its workspace", () => {
    const conversation = { ...conversationOf(["Hi"]), tags: ["a", "b"], workspace: "file:///home/me/secret" };
    const file = exportText(conversation, "json");
    assert.ok(!file.includes("/home/me"));
    assert.deepEqual(parseOwnExport(JSON.parse(file)).conversations[0]?.tags, ["a", "b"]);
  });

  it("is the JSON that the platform would write", () => {
    for (const texts of [[], ["one"], ["one\ntwo", '"three"\u2028']]) {
      const { messages, ...head } = conversationOf(texts);
      const whole = {
        ...{ format: "inference-gateway-conversations", version: 1, exportedAt: "1970-01-01T00:00:00.000Z" },
        conversations: [{ ...head, messages }],
      };
      assert.equal(exportText({ ...head, messages }, "json"), `${JSON.stringify(whole, undefined, 2)}\n`);
    }
  });
});

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

  it("closes a code block that a message leaves open, so that what follows it isn't code", () => {
    const sources = [{ url: "https://a.example" }];
    const messages = [
      storedMessage("a", { role: "assistant", text: "See:\n```js\na();", sources, status: "stopped" }),
      storedMessage("b", { role: "assistant", parentId: "a", text: "1. Run:\n   ~~~~sh\n   ls" }),
      storedMessage("c", { parentId: "b", text: "Thanks" }),
    ];
    const settings = { systemPrompt: "Like this:\n```" };
    const open = exportText({ ...conversation, settings, messages }, "md");
    assert.match(open, /Like this:\n```\n```\n\n## /);
    assert.match(open, /\na\(\);\n```\n\n\*\*Sources\*\*\n\n.*\n\n\*Stopped\.\*\n\n## /);
    assert.match(open, /\n {3}ls\n {3}~~~~\n\n## You/);
  });

  it("shows the result of a tool as text, whatever it contains", () => {
    const messages = [storedMessage("t", { role: "tool", text: "# Not a heading\n```\ncut" })];
    assert.match(
      exportText({ ...conversation, messages }, "md"),
      /\n## Tool · [^\n]*\n\n````\n# Not a heading\n```\ncut\n````\n$/,
    );
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
    assert.ok(exportFileName(`${"x".repeat(79)}🚀`, "md").isWellFormed(), "Half an emoji is no valid path.");
  });
});
