import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { openConversationStore } from "../../../src/storage/conversations/openConversationStore.ts";

describe("The end of a long response", () => {
  it("is written once, in place of the pieces that were written while it streamed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bytes-"));
    const file = join(folder, "conversations.db");
    const store = await openConversationStore(file, {
      now: () => 1,
      onProblem: (sentence) => assert.fail(sentence),
    });
    try {
      const message: Message = {
        ...{ id: "response", role: "assistant", status: "streaming", createdAt: 1, text: "", reasoning: "" },
        ...{ attachments: [], toolCalls: [] },
      } as const;
      store.saveConversation({ id: "c", title: "C", createdAt: 1, updatedAt: 1 });
      // The first numbers of a new database take up no bytes, so any other number makes a row longer.
      for (const status of ["streaming", "stopped", "streaming"] as const)
        store.saveMessage("c", { ...message, status });
      store.flush();
      const piece = "All of it is text. ".repeat(160);
      let text = "";
      for (let index = 0; index < 80; index++) {
        store.appendDelta("c", message.id, { kind: "text", text: piece });
        store.flush();
        text += piece;
      }
      const before = statSync(`${file}-wal`).size;
      store.saveMessage("c", { ...message, status: "complete", text });
      store.flush();
      const written = statSync(`${file}-wal`).size - before;
      assert.ok(written < 2 * text.length, `${written} bytes for a text of ${text.length}`);
      assert.ok(statSync(file).size < 2.5 * text.length, "the file contains both");
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("A slow response", () => {
  it("costs two pages for each piece: the piece and its index, but not the message that it belongs to", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bytes-"));
    const file = join(folder, "conversations.db");
    let now = 1;
    const store = await openConversationStore(file, {
      now: () => (now += 200),
      onProblem: (sentence) => assert.fail(sentence),
    });
    try {
      store.saveConversation({ id: "c", title: "C", createdAt: 1, updatedAt: 1 });
      store.saveMessage("c", {
        ...{ id: "response", role: "assistant", status: "streaming", createdAt: 1, text: "", reasoning: "" },
        ...{ attachments: [], toolCalls: [] },
      });
      const sizes = Array.from({ length: 6 }, () => {
        store.appendDelta("c", "response", { kind: "text", text: "a few words " });
        store.flush();
        return statSync(`${file}-wal`).size;
      });
      const [first = NaN, last = NaN] = [sizes[0], sizes.at(-1)];
      assert.equal((last - first) / 5, 2 * (4096 + 24));
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
