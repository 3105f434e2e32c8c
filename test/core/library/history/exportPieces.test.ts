import assert from "node:assert/strict";
import { distinctFindings, maskSecrets } from "../../../../src/core/compose/send/secretFinding.ts";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import { exportPieces } from "../../../../src/core/library/history/exportPieces.ts";
import { parseOwnExport } from "../../../../src/core/library/import/parseOwnExport.ts";
import { createPause } from "../../../../src/vscode/shell/pause.ts";
import { findAllSecrets } from "../../../../src/workers/account/findAllSecrets.ts";
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
  for (const format of ["md", "json"] as const) {
    it(`holds no secret after masking, and is complete otherwise: ${format}`, async () => {
      const secret = fake.random(40);
      const conversation = conversationOf(["Hello", `a\nconst apiKey = "${secret}";\n"end"`]);
      const pieces = [...exportPieces(conversation, format, 0)];
      const found = await Promise.all(pieces.map((piece) => findAllSecrets(piece.searched(), createPause())));
      const findings = distinctFindings(found.flat());
      const masked = pieces.map((piece) => piece.masked((part) => maskSecrets(part, findings))).join("");
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
            (piece) => piece.text().length,
          ),
        );
      assert.ok(longest(2_000) < longest(20) + 100);
      assert.ok(longest(20) < 2_000);
    });

    it(`is not searched for secrets inside its images and audio: ${format}`, () => {
      const link = `data:image/png;base64,${fake.base64(4_000)}`;
      const searched = Array.from(exportPieces(conversationOf([link]), format, 0), (piece) =>
        piece.searched(),
      ).join("");
      assert.ok(searched.includes("data:image/png;base64,"));
      assert.ok(searched.length < 1_000, `${searched.length}`);
    });
  }

  it("keeps its tags when it is imported again, and doesn't name the path of its workspace", () => {
    const conversation = { ...conversationOf(["Hi"]), tags: ["a", "b"], workspace: "file:///home/me/secret" };
    const file = [...exportPieces(conversation, "json", 0)].map((piece) => piece.text()).join("");
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
