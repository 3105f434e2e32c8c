import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Conversation, Message } from "../../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { exportPieces } from "../../../src/core/library/history/exportPieces.ts";
import { ImportTally } from "../../../src/core/library/import/importTally.ts";
import { writeArchive } from "../../../src/processes/library/writeArchive.ts";
import { readImportSources } from "../../../src/processes/library/importSources.ts";
import { eventually } from "../../support/eventually.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const unaborted = new AbortController().signal;

describe("An archive of all conversations", () => {
  let files: StoreFolder;
  let path: string;
  beforeEach(() => {
    files = new StoreFolder();
    path = join(files.folder, "all.zip");
  });
  afterEach(() => files.remove());

  async function* textsOf(store: ConversationStore): AsyncGenerator<Iterable<string>> {
    for (const { id } of store.list()) {
      const conversation = store.load(id) ?? assert.fail();
      yield [...exportPieces(conversation, "archive", 0)];
    }
  }

  async function importInto(store: ConversationStore): Promise<string> {
    const tally = new ImportTally(store);
    for await (const file of readImportSources([path])) {
      if ("problem" in file) tally.refuse(basename(file.path), file.problem);
      else Array.from(tally.take(file.imported));
    }
    return tally.sentence();
  }

  function contents(store: ConversationStore): readonly (Conversation | undefined)[] {
    return store
      .list()
      .map(({ id }) => store.load(id))
      .toSorted((left, right) => (left?.id ?? "").localeCompare(right?.id ?? ""));
  }

  /**
   * What an import of these conversations stores: calls in imported messages always ask the user, and the system prompts
   * and tools of their requests aren't taken over.
   */
  function importedContents(store: ConversationStore): readonly (Conversation | undefined)[] {
    return contents(store).map(
      (conversation) =>
        conversation && {
          ...conversation,
          messages: conversation.messages.map((message) => {
            const { settings } = message;
            const kept =
              settings === undefined ? {} : { settings: { parameters: settings.parameters ?? {} } };
            return { ...message, ...kept, isImported: true };
          }),
        },
    );
  }

  /** Messages with everything that a message can have. */
  const odd: readonly Message[] = [
    storedMessage("question", {
      text: "lone \ud83d and NUL \0, \u2028 </script> PK\x03\x04 PK\x07\x08 数据 👩‍💻",
      attachments: [
        { type: "text", text: '{"format": "inference-gateway-conversations"}', title: "../../a.json" },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
        { type: "audio", format: "mp3", data: "SUQz" },
      ],
    }),
    storedMessage("first", {
      ...{ role: "assistant", parentId: "question", model: "lab/echo", reasoning: "hm\n\0" },
      toolCalls: [{ id: "t1", name: "look", arguments: '{"cut": ', extra: { signature: "s" } }],
      usage: { promptTokens: 3, totalTokens: 5 },
      settings: { systemPrompt: "Brief.", parameters: { seed: 1 }, tools: ["look"] },
      providerFields: {
        baseUrl: "https://a.example/v1",
        model: "lab/echo",
        members: { thinking: [{ s: 1 }] },
      },
    }),
    storedMessage("result", { role: "tool", parentId: "first", toolCallId: "t1", status: "stopped" }),
    storedMessage("second", {
      ...{ role: "assistant", parentId: "question", text: "one two", seams: [3] },
      ...{ status: "failed", error: { reason: "truncated", message: "Cut." }, timing: { totalMs: 3 } },
    }),
    storedMessage("deleted", { parentId: "second" }),
    storedMessage("after", { parentId: "deleted", isIncluded: true }),
  ];

  function fillOdd(store: ConversationStore): void {
    store.save({
      type: "conversation",
      fields: {
        ...{ id: "odd \ud83d/..\\", title: "Odd \0 \u202e", createdAt: 1, updatedAt: 9, model: "lab/echo" },
        ...{ workspace: "file:///home/me/数据", leafId: "result", settings: { whenTooLong: "files" } },
      },
    });
    const id = store.list().find(({ updatedAt }) => updatedAt === 9)?.id ?? assert.fail();
    for (const message of odd) store.save({ type: "message", conversationId: id, message });
    store.save({ type: "removeMessage", conversationId: id, messageId: "deleted" });
    store.save({ type: "title", id, title: "Mine", source: "user" });
    store.save({ type: "pin", id, isPinned: true });
    store.save({ type: "tags", id, tags: ["work", "数据"] });
    fillConversation(store, "named", 1);
    store.save({ type: "title", id: "named", title: "By the model", source: "model" });
    store.flush();
  }

  it("brings everything to another machine, and adds nothing the second time", async () => {
    const there = new StoreFolder();
    try {
      const [store, other] = [await files.open(), await there.open()];
      fillOdd(store);
      for (let i = 0; i < 2_000; i++) fillConversation(store, `c${i}`, 1 + (i % 3));
      await writeArchive(path, textsOf(store), unaborted);
      assert.equal(statSync(path).mode & 0o077, 0);
      assert.equal(await importInto(other), "2,002 conversations were imported.");
      assert.deepEqual(contents(other), importedContents(store));
      const version = other.listVersion();
      assert.equal(await importInto(other), "No conversation was imported. Already imported: 2,002.");
      assert.equal(other.listVersion(), version);
      assert.deepEqual(contents(other), importedContents(store));
    } finally {
      there.remove();
    }
  });

  it("still brings the other conversations if one of them is damaged, and counts that one", async () => {
    const store = await files.open();
    for (const id of ["a", "b", "c"]) fillConversation(store, id, 2, 5_000);
    await writeArchive(path, textsOf(store), unaborted);
    const bytes = readFileSync(path);
    bytes.fill(
      0,
      bytes.indexOf("conversations-00002.json") + 60,
      bytes.indexOf("conversations-00003.json") - 60,
    );
    writeFileSync(path, bytes);
    const there = new StoreFolder();
    try {
      assert.match(
        await importInto(await there.open()),
        /^2 conversations were imported\. Records, .* couldn't be read .*: 1\.$/u,
      );
    } finally {
      there.remove();
    }
  });

  it("leaves the earlier archive and nothing else if it is canceled in the middle", async () => {
    writeFileSync(path, "earlier");
    const cancellation = new AbortController();
    async function* texts(): AsyncGenerator<Iterable<string>> {
      yield ["x".repeat(5_000_000)];
      await eventually(() =>
        assert.equal(readdirSync(files.folder).length, 2, "It is written beside its name."),
      );
      cancellation.abort();
      yield ["never written"];
    }
    assert.equal(await writeArchive(path, texts(), cancellation.signal), false);
    assert.deepEqual(readdirSync(files.folder), ["all.zip"]);
    assert.equal(readFileSync(path, "utf8"), "earlier");
  });

  it("stops in the middle of a huge conversation when it is canceled", async () => {
    const cancellation = new AbortController();
    let taken = 0;
    function* endless(): Generator<string> {
      for (;;) {
        if (++taken === 50) cancellation.abort();
        yield "x".repeat(100_000);
      }
    }
    async function* texts(): AsyncGenerator<Iterable<string>> {
      yield endless();
    }
    assert.equal(await writeArchive(path, texts(), cancellation.signal), false);
    assert.deepEqual(readdirSync(files.folder), []);
  });

  it("leaves nothing behind if a conversation can't be loaded", async () => {
    async function* texts(): AsyncGenerator<Iterable<string>> {
      yield ["{}"];
      throw new Error("damaged");
    }
    await assert.rejects(writeArchive(path, texts(), unaborted), /damaged/u);
    assert.deepEqual(readdirSync(files.folder), []);
  });

  it("leaves nothing behind if a conversation can't be read in its middle", async () => {
    function* text(): Generator<string> {
      yield "{".repeat(100_000);
      throw new Error("damaged");
    }
    async function* texts(): AsyncGenerator<Iterable<string>> {
      yield text();
    }
    await assert.rejects(writeArchive(path, texts(), unaborted), /damaged/u);
    assert.deepEqual(readdirSync(files.folder), []);
  });

  it("fails if the folder is missing, vanishes, or has a folder of that name", async () => {
    async function* texts(then: () => void): AsyncGenerator<Iterable<string>> {
      yield ["{}"];
      then();
    }
    const folder = join(files.folder, "usb");
    const inFolder = join(folder, "all.zip");
    await assert.rejects(
      writeArchive(
        inFolder,
        texts(() => undefined),
        unaborted,
      ),
      { code: "ENOENT" },
    );
    mkdirSync(folder);
    const vanish = () => rmSync(folder, { recursive: true });
    await assert.rejects(writeArchive(inFolder, texts(vanish), unaborted), { code: "ENOENT" });
    mkdirSync(inFolder, { recursive: true });
    await assert.rejects(
      writeArchive(
        inFolder,
        texts(() => undefined),
        unaborted,
      ),
    );
    assert.deepEqual(readdirSync(folder), ["all.zip"]);
  });

  it("fails on a disk that becomes full or is read-only, and leaves nothing there", async function () {
    const disk = mkdtempSync(join(tmpdir(), "disk-"));
    const run = (...command: readonly string[]): boolean =>
      spawnSync(command[0] ?? "", command.slice(1), { stdio: "ignore" }).status === 0;
    try {
      // Mounting requires privileges that aren't available on every machine.
      if (process.platform !== "linux" || !run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk))
        return this.skip();
      const target = join(disk, "all.zip");
      async function* texts(): AsyncGenerator<Iterable<string>> {
        yield Array.from({ length: 30 }, () => randomBytes(100_000).toString("base64"));
      }
      await assert.rejects(writeArchive(target, texts(), unaborted), { code: "ENOSPC" });
      assert.deepEqual(readdirSync(disk), []);
      assert.ok(run("mount", "-o", "remount,ro", disk));
      await assert.rejects(writeArchive(target, texts(), unaborted), { code: "EROFS" });
    } finally {
      run("umount", "-l", disk);
      rmSync(disk, { recursive: true, force: true });
    }
  });
});
