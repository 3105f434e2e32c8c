import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Conversation } from "../../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { exportText } from "../../support/exportText.ts";
import { ImportTally } from "../../../src/core/library/import/importTally.ts";
import { readImportSources } from "../../../src/processes/library/importSources.ts";
import { zipOf } from "../../support/zipOf.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("Importing unusual files", () => {
  let files: StoreFolder;
  let store: ConversationStore;

  beforeEach(async () => {
    files = new StoreFolder();
    store = files.open();
    fillConversation(store, "mine", 3);
  });
  afterEach(() => files.remove());

  /**
   * Returns the messages shown to the user. Whatever is imported, nothing is reported as a problem, and existing
   * conversations are still there.
   */
  async function importBytes(bytes: Uint8Array | string, name = "chat.json"): Promise<string> {
    const path = join(files.folder, name);
    writeFileSync(path, bytes);
    const before = store.load("mine");
    const tally = new ImportTally(store);
    for await (const file of readImportSources([path])) {
      if ("problem" in file) tally.refuse(basename(file.path), file.problem);
      else Array.from(tally.take(file.imported));
    }
    store.flush();
    assert.deepEqual(store.load("mine"), before);
    assert.deepEqual(files.problems, []);
    return tally.sentence();
  }

  const importValue = (value: unknown): Promise<string> => importBytes(JSON.stringify(value));

  /** The single imported conversation, as stored. */
  function imported(): Conversation {
    const [summary] = store.list().filter(({ id }) => id !== "mine");
    return (summary === undefined ? undefined : store.load(summary.id)) ?? assert.fail();
  }

  const ownExport = (change: object = {}, message: object = {}): unknown => ({
    format: "inference-gateway-conversations",
    version: 1,
    conversations: [
      {
        id: "c1",
        title: "Ours",
        createdAt: 1,
        messages: [{ ...storedMessage("m1"), ...message }],
        ...change,
      },
    ],
  });

  const none = "No conversation was imported.";
  const refused: readonly (readonly [what: string, bytes: Uint8Array | string, sentence: string])[] = [
    ["nothing", "", "“chat.json” is empty."],
    ["only a mark and spaces", "\ufeff \n", "“chat.json” is empty."],
    [
      "a part of a file",
      exportText({ id: "c", title: "", createdAt: 0, updatedAt: 0, messages: [] }, "json").slice(0, -9),
      "“chat.json” isn't JSON, or is truncated.",
    ],
    ["a page", "<!doctype html>", "“chat.json” isn't JSON, or is truncated."],
    [
      "text in Latin 1",
      Buffer.from('[{"title":"Gr\xfc\xdfe"}]', "latin1"),
      "“chat.json” isn't UTF-8 or UTF-16 text.",
    ],
    [
      "bytes of a picture",
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0),
      "“chat.json” isn't UTF-8 or UTF-16 text.",
    ],
    ["a number", "7", "“chat.json” contains no conversations in a supported format."],
    [
      "a million brackets",
      "[".repeat(1e6) + "]".repeat(1e6),
      "“chat.json” contains no conversations in a supported format.",
    ],
    [
      "an archive that was cut off",
      zipOf({ "conversations.json": "[]" }).subarray(0, 40),
      "“chat.json” is damaged or contains no conversations in a supported format.",
    ],
    [
      "an archive of something else",
      zipOf({ "notes.json": "[]" }),
      "“chat.json” is damaged or contains no conversations in a supported format.",
    ],
  ];
  for (const [what, bytes, sentence] of refused)
    it(`reports what is wrong with ${what}`, async () => {
      assert.equal(await importBytes(bytes), `${none} ${sentence}`);
    });

  it("reads UTF-16, as written by some shells", async () => {
    const text = `\ufeff${JSON.stringify(ownExport({ title: "Grüße 数据" }))}`;
    const little = Buffer.from(text, "utf16le");
    assert.equal(await importBytes(little), "One conversation was imported.");
    assert.equal(imported().title, "Grüße 数据");
    assert.equal(await importBytes(Buffer.from(little).swap16()), `${none} Already imported: 1.`);
  });

  it("treats invalid times as missing", async () => {
    for (const time of [1e300, -1e300, 1.5, "yesterday", null]) {
      const change = { id: `at ${String(time)}`, createdAt: time, updatedAt: time };
      await importValue(ownExport(change, { createdAt: time }));
    }
    const listed = store.list().filter(({ id }) => id !== "mine");
    assert.equal(listed.length, 5);
    for (const { id, updatedAt } of listed) {
      assert.ok(Number.isInteger(updatedAt) && !Number.isNaN(new Date(updatedAt).getTime()));
      const conversation = store.load(id) ?? assert.fail();
      assert.equal(conversation.messages[0]?.text, "text of m1");
      assert.doesNotMatch(exportText(conversation, "md"), /NaN/u);
    }
  });

  it("treats the names of prototype properties as ordinary names", async () => {
    const node = (parent: string | null, children: readonly string[]): string =>
      JSON.stringify({
        ...{ parent, children },
        message: { author: { role: "user" }, content: { content_type: "text", parts: [`after ${parent}`] } },
      });
    const mapping = `{"__proto__":${node(null, ["constructor"])},"constructor":${node("__proto__", ["toString", "hasOwnProperty"])}}`;
    await importBytes(`[{"id":"__proto__","title":"x","__proto__":{"role":"user"},"mapping":${mapping}}]`);
    const { messages } = imported();
    assert.deepEqual(
      messages.map(({ id, parentId, text }) => [id, parentId, text]),
      [
        ["__proto__", undefined, "after null"],
        ["constructor", "__proto__", "after __proto__"],
      ],
    );
    await importBytes(
      JSON.stringify(ownExport({ id: "constructor" })).replace(
        '"attachments"',
        '"__proto__":{"text":"no"},"attachments"',
      ),
    );
    assert.equal(store.load("constructor")?.messages[0]?.text, "text of m1");
    assert.equal(Object.hasOwn(Object.prototype, "text"), false);
  });

  it("leaves out extremely deeply nested values", async () => {
    const input = `${'{"a":'.repeat(2e5)}1${"}".repeat(2e5)}`;
    const sentence = await importBytes(
      `[{"uuid":"c","chat_messages":[{"sender":"human","text":"hi"},{"sender":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":${input}}]}]}]`,
    );
    assert.equal(sentence, "One conversation was imported.");
    assert.deepEqual(
      imported().messages.map(({ role }) => role),
      ["user", "assistant"],
    );
  });

  it("handles unpaired surrogates, NUL and a title of a megabyte", async () => {
    await importValue(ownExport({ title: "long ".repeat(2e5) }, { text: "a\0b\ud83dc", id: "\ud83d" }));
    const { messages, title } = imported();
    assert.equal(messages[0]?.text, "a\ufffdb\ufffdc");
    assert.ok(title.startsWith("long long") && title.length <= 1_000);
  });

  it("handles a message with hundreds of thousands of replies, and runs of backticks", async () => {
    const says = (parent: string | null, children: readonly string[], words: string) => ({
      ...{ parent, children },
      message: { author: { role: "user" }, content: { content_type: "text", parts: [words] } },
    });
    const children = Array.from({ length: 3e5 }, (_, i) => `n${i}`);
    await importValue([{ id: "wide", mapping: { root: says(null, children, "` ".repeat(3e5)) } }]);
    assert.match(exportText(imported(), "md"), /` `/u);
    assert.equal(imported().messages.length, 1);
  });

  it("writes a large file in steps, with time for other work between them", async () => {
    const conversations = Array.from({ length: 40 }, (_, i) => ({
      ...{ id: `big${i}`, title: "Big", createdAt: 1 },
      messages: [storedMessage("m", { text: "x".repeat(250_000) })],
    }));
    let slices = 0;
    const path = join(files.folder, "big.json");
    writeFileSync(path, JSON.stringify({ ...(ownExport() as object), conversations }));
    const tally = new ImportTally(store);
    for await (const file of readImportSources([path])) {
      if ("problem" in file) assert.fail(file.problem);
      slices += Array.from(tally.take(file.imported)).length;
    }
    assert.equal(slices, 20);
    assert.equal(tally.sentence(), "40 conversations were imported.");
  });
});
