import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ConversationStore } from "../../../../src/core/conversation/conversationStore.ts";
import { eventually } from "../../../support/eventually.ts";
import { fillConversation, storedMessage } from "../../../support/storeFolder.ts";
import { WindowFolder, assertWords } from "../../../support/windowProcesses.ts";
import type { WindowProcess } from "../../../support/windowProcesses.ts";

describe("Windows in several processes", function () {
  this.timeout(60_000);
  let folder: WindowFolder;
  beforeEach(() => (folder = new WindowFolder()));
  afterEach(() => folder.end());

  const open = (): WindowProcess => folder.start();

  /** Polls like a window that shows the conversation. Returns what it has seen since the last call, in words. */
  function follow(store: ConversationStore, id: string): () => readonly string[] {
    let mark = store.changeMark(id);
    let [version, title, prompt] = [store.listVersion(), "", ""];
    store.loadDraft(id);
    return () => {
      const seen: string[] = [];
      const changes = store.loadChanges(id, mark);
      if (changes !== undefined) {
        mark = changes.mark;
        seen.push(...changes.messages.map(({ text }) => text), ...changes.removedIds.map((one) => `-${one}`));
        const { settings, title: now } = changes.fields ?? assert.fail();
        if (now !== title) seen.push((title = now));
        if (settings?.systemPrompt !== undefined && settings.systemPrompt !== prompt)
          seen.push((prompt = settings.systemPrompt));
      }
      const draft = store.loadNewDraft(id);
      if (draft !== undefined) seen.push(draft.text);
      if (store.listVersion() !== version) seen.push("list");
      version = store.listVersion();
      return seen;
    };
  }

  it("see each other's turns, drafts, titles and settings within a second", async () => {
    const store = folder.open();
    fillConversation(store, "c1", 1);
    const [one, other] = [open(), open()];
    await Promise.all([one.call("load", "c1"), other.call("load", "c1")]);
    await one.call("loadDraft", "c1");
    await other.call("loadDraft", "c1");
    const look = follow(store, "c1");
    look();
    const fields = {
      id: "c1",
      title: "Title",
      createdAt: 1,
      updatedAt: 2,
      settings: { systemPrompt: "Be brief." },
    };
    const changes = [
      ["a turn", { type: "message", conversationId: "c1", message: storedMessage("n1", { text: "a turn" }) }],
      [
        "another turn",
        { type: "message", conversationId: "c1", message: storedMessage("n2", { text: "another turn" }) },
      ],
      [
        "an edit",
        { type: "message", conversationId: "c1", message: storedMessage("n1", { text: "an edit" }) },
      ],
      ["-n1", { type: "removeMessage", conversationId: "c1", messageId: "n1" }],
      ["a title", { type: "title", id: "c1", title: "a title", source: "user" }],
      ["Be brief.", { type: "conversation", fields }],
      ["a draft", { type: "draft", conversationId: "c1", draft: { text: "a draft", attachments: [] } }],
      ["list", { type: "pin", id: "c1", isPinned: true }],
      ["list", { type: "conversation", fields: { ...fields, id: "c2" } }],
    ] as const;
    for (const [index, [what, change]] of changes.entries()) {
      await [one, other][index % 2]?.call("save", change);
      const start = performance.now();
      const seen = [...look()];
      while (!seen.includes(what) && performance.now() - start < 10_000) {
        await setTimeout(50);
        seen.push(...look());
      }
      assert.ok(seen.includes(what), `${what}: ${seen.join()}`);
      assert.ok(performance.now() - start < 1_000, `${what} took ${performance.now() - start} ms`);
    }
  });

  async function assertStreamed(durable: number): Promise<void> {
    const find = () =>
      folder
        .open()
        .load("c1")
        ?.messages.find(({ id }) => id === "m1");
    await eventually(() => {
      const { text = "" } = find() ?? {};
      assertWords(text, durable);
    });
  }

  for (const [what, change] of [
    ["removes its message", { type: "removeMessage", conversationId: "c1", messageId: "m1" }],
    [
      "continues after its message",
      { type: "message", conversationId: "c1", message: storedMessage("next", { parentId: "m1" }) },
    ],
  ] as const)
    it(`lose nothing if one is suspended, another one ${what}, and it goes on`, async () => {
      const window = open();
      await window.stream("c1", "m1", 500);
      await window.grow(500);
      window.signal("SIGSTOP");
      const other = folder.open();
      other.load("c1");
      other.save(change);
      other.flush();
      await setTimeout(500);
      window.signal("SIGCONT");
      await window.grow(1_500);
      await window.kill();
      await assertStreamed(window.durable);
      if (change.type === "message")
        assert.ok(
          folder
            .open()
            .load("c1")
            ?.messages.some(({ id }) => id === "next"),
        );
    });

  it("lose and repeat nothing if one is suspended whose spill file another one takes in", async () => {
    fillConversation(folder.open(), "c0", 1);
    const window = open();
    await window.stream("c1", "m1", 500);
    const lock = await folder.lock("BEGIN IMMEDIATE");
    await window.grow(1_500);
    window.signal("SIGSTOP");
    await lock.release();
    const [spill = ""] = folder.spillNames();
    utimesSync(join(dirname(folder.file), spill), 1_000, 1_000);
    await open().call("list");
    assert.deepEqual(folder.spillNames(), []);
    await assertStreamed(window.durable);
    window.signal("SIGCONT");
    await window.grow(1_500);
    await window.kill();
    await assertStreamed(window.durable);
  });
});
