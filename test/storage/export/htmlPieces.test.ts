import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { importedMessage } from "../../../src/core/library/import/imported.ts";
import type { Conversation, Message } from "../../../src/core/conversation/conversation.ts";
import { searchedTexts } from "../../../src/core/library/history/exportPieces.ts";
import { htmlPieces } from "../../../src/storage/export/htmlPieces.ts";

const png = "iVBORw0KGgoAAAANSUhEUg==";

function conversationOf(...fields: readonly Partial<Message>[]): Conversation {
  const messages = fields.map((field, index) =>
    importedMessage({
      ...{ id: `m${index}`, role: "assistant", createdAt: 1_720_000_000_000 + index, ...field },
      ...(index === 0 ? {} : { parentId: `m${index - 1}` }),
    }),
  );
  return { id: "c", title: "Plan <b> & more", createdAt: 1_720_000_000_000, updatedAt: 1, messages };
}

function pageOf(conversation: Conversation): string {
  return [...htmlPieces(conversation, "en")].join("");
}

describe("A conversation exported as HTML", () => {
  it("is one page with formatted text, highlighted code, images and folded details", () => {
    const page = pageOf(
      conversationOf(
        {
          role: "user",
          text: "Look **here**",
          attachments: [
            { type: "image", mediaType: "image/png", data: png, title: "a.png" },
            { type: "text", text: "let a = 1 < 2;", title: "a.ts" },
          ],
        },
        { text: "```ts\nconst a = 1;\n```\n\n| a |\n|--:|\n| 1 |", reasoning: "Hm", model: "acme/text" },
      ),
    );
    assert.match(page, /^<!DOCTYPE html>[^]*<\/html>\n$/);
    assert.match(page, /<title>Plan &lt;b&gt; &amp; more<\/title>/);
    assert.match(page, /<strong>here<\/strong>/);
    assert.match(page, new RegExp(`<img src="data:image/png;base64,${png}" alt="a.png">`));
    assert.match(page, /<summary>a\.ts<\/summary>\n<pre>let a = 1 &lt; 2;<\/pre>/);
    assert.match(page, /<span class="hljs-keyword">const<\/span>/);
    assert.match(page, /<td align="right">1<\/td>/);
    assert.match(page, /<summary>Reasoning<\/summary>/);
    assert.match(page, /Assistant \(acme\/text\)/);
  });

  it("shows a heading in a message as a heading, unlike the line that names its author", () => {
    const page = pageOf(conversationOf({ text: "## Heading" }));
    assert.match(page, /<article>\n<h2>Assistant[^<]*<\/h2>\n<h2>Heading<\/h2>/);
    assert.match(page, /article>h2:first-child\{/);
  });

  it("has a policy that allows its own style and nothing else", () => {
    const page = pageOf(conversationOf({ text: "hi" }));
    const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    assert.ok(
      page.includes(`default-src 'none'; style-src 'sha256-${hash}'; img-src data:; media-src data:`),
    );
    assert.doesNotMatch(page, / style="/);
  });

  it("contains nothing that runs or is loaded, whatever a model writes", () => {
    const file: unknown = JSON.parse(
      readFileSync(new URL("../../fixtures/rendering-attacks.json", import.meta.url), "utf8"),
    );
    const texts: string[] = [];
    JSON.stringify(file, (_key, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
    texts.push(
      "<script>alert(1)</script><img src=x onerror=alert(1)>",
      "[a](javascript:alert(1)) [b](data:text/html,x) [c](vscode:x) [d](command:x) ![e](https://x.example/a.png)",
      "![f](data:image/svg+xml;base64,PHN2Zz4=) <https://x.example/%22onclick=a>",
      '```"><script>\nx\n```',
    );
    for (const text of texts) {
      const mediaType = `image/png" onerror="alert(1)`;
      const page = pageOf(
        conversationOf({
          ...{
            text,
            reasoning: text,
            model: text,
            attachments: [
              { type: "text", text, title: text },
              { type: "image", mediaType, data: text },
            ],
          },
          toolCalls: [{ id: "t", name: text, arguments: text }],
        }),
      );
      const tags = page.slice(page.indexOf("<body>")).match(/<[a-z][^>]*>/gi) ?? [];
      for (const tag of tags) {
        assert.match(
          tag,
          /^<(?:body|main|article|h[1-6]|p|pre|code|span|details|summary|a|em|strong|s|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|hr|br|img|audio)\b/i,
          text,
        );
        const outside = tag.replace(/"[^"]*"/g, '""');
        assert.doesNotMatch(outside, /\son\w+=|style=/i, text);
        const address = /(?:href|src)="([^"]*)"/.exec(tag)?.[1];
        if (address !== undefined)
          assert.match(
            address,
            tag.startsWith("<a") ? /^(?:https?|mailto):/i : /^data:(?:image|audio)\//,
            text,
          );
      }
    }
  });

  it("masks secrets in every text", () => {
    const secret = "hunter2hunter2";
    const conversation = conversationOf({
      ...{ text: secret, reasoning: secret, model: secret, error: { reason: "service", message: secret } },
      attachments: [{ type: "text", text: secret, title: secret }],
      toolCalls: [{ id: "t", name: secret, arguments: secret }],
    });
    const whole = { ...conversation, title: secret, settings: { systemPrompt: secret } };
    const count = (pieces: Iterable<string>): number => [...pieces].join("").split(secret).length - 1;
    assert.equal(count(htmlPieces(whole, "en")), 11);
    assert.equal(count(htmlPieces(whole, "en", (text) => text.replaceAll(secret, "***"))), 0);
    assert.equal(count(searchedTexts(whole, "html")), 10);
  });
});
