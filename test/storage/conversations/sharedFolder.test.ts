import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { RetryingConversationStore } from "../../../src/storage/conversations/retryingConversationStore.ts";
import { removeMergedCopy, SharedFolder } from "../../../src/storage/conversations/sharedFolder.ts";
import type { FolderWriter } from "../../../src/storage/database/folderLease.ts";
import { fillConversation, storedMessage } from "../../support/storeFolder.ts";

/** A machine with one window, which sees the time that the test sets. */
class Machine {
  readonly store: RetryingConversationStore;
  readonly shared: SharedFolder;
  writer: FolderWriter | undefined;
  trouble: string | undefined;

  constructor(root: string, host: string, clock: { ms: number }, folder = join(root, "synced", "chats")) {
    const options = {
      now: () => clock.ms,
      monotonic: () => clock.ms,
      onProblem: (text: string) => assert.fail(text),
    };
    this.shared = new SharedFolder({
      ...{ folder, copyFolder: join(root, host), host, options },
      onSwitch: (next) => this.store.replace(next),
      onWriter: (writer) => (this.writer = writer),
      repeat: () => () => undefined,
    });
    this.store = new RetryingConversationStore({
      open: () => this.shared.open(),
      onTrouble: (sentence) => (this.trouble = sentence),
      schedule: () => () => undefined,
    });
  }

  close(): void {
    this.store.close();
    this.shared.close();
  }
}

describe("A conversations folder that two machines share", () => {
  let root: string;
  const clock = { ms: 1_800_000_000_000 };
  const machines: Machine[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "shared-"));
    mkdirSync(join(root, "synced"));
  });

  afterEach(() => {
    for (const machine of machines.splice(0)) machine.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function start(host: string): Promise<Machine> {
    const machine = new Machine(root, host, clock);
    machines.push(machine);
    await machine.store.start();
    return machine;
  }

  const ids = (store: ConversationArchive): readonly string[] =>
    store
      .list()
      .map(({ id }) => id)
      .toSorted();
  const messageIds = (store: ConversationArchive, id: string): readonly string[] =>
    (store.load(id)?.messages ?? []).map((message) => message.id);

  it("is written by the first machine, and the second one shows which machine that is and continues in a copy", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 2);
    const desktop = await start("desktop");
    assert.deepEqual([laptop.writer, desktop.writer?.host], [undefined, "laptop"]);
    assert.deepEqual(messageIds(desktop.store, "a"), ["a-0", "a-1"]);
    desktop.store.saveMessage("a", storedMessage("from desktop", { parentId: "a-1" }));
    fillConversation(desktop.store, "b", 1);
    laptop.store.saveMessage("a", storedMessage("from laptop", { parentId: "a-1" }));
    laptop.store.flush();
    assert.deepEqual(ids(laptop.store), ["a"]);
    laptop.close();
    await desktop.shared.look();
    assert.equal(desktop.writer, undefined);
    assert.deepEqual(ids(desktop.store), ["a", "b"]);
    assert.deepEqual(messageIds(desktop.store, "a").toSorted(), [
      "a-0",
      "a-1",
      "from desktop",
      "from laptop",
    ]);
    const logs = readdirSync(join(root, "synced", "chats")).filter((name) =>
      /-(?:wal|shm|journal)$/.test(name),
    );
    assert.deepEqual(logs, [], "A sync could separate them from the database.");
  });

  it("keeps what the second machine wrote if it is closed before its turn, and deletes nothing twice", async () => {
    const laptop = await start("laptop");
    for (const id of ["a", "b", "c"]) fillConversation(laptop.store, id, 1);
    const first = await start("desktop");
    fillConversation(first.store, "d", 1);
    first.store.deleteConversation("b");
    first.store.renameConversation("c", "Renamed on the desktop", "user");
    first.close();
    laptop.store.deleteConversation("a");
    laptop.store.flush();
    laptop.close();
    const desktop = await start("desktop");
    assert.equal(desktop.writer, undefined);
    assert.deepEqual(ids(desktop.store), ["c", "d"]);
    assert.equal(desktop.store.load("c")?.title, "Renamed on the desktop");
  });

  it("passes to the second machine when the first one is silent for minutes, and the first one then continues in a copy", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 1);
    const desktop = await start("desktop");
    for (let minutes = 0; minutes < 4; minutes++) {
      assert.equal(desktop.writer?.host, "laptop", `after ${minutes} minutes`);
      clock.ms += 60_000;
      await desktop.shared.look();
    }
    assert.equal(desktop.writer, undefined);
    await laptop.shared.look();
    assert.equal(laptop.writer?.host, "desktop");
    laptop.store.saveMessage("a", storedMessage("after sleep", { parentId: "a-0" }));
    desktop.close();
    await laptop.shared.look();
    assert.deepEqual(messageIds(laptop.store, "a"), ["a-0", "after sleep"]);
  });

  it("stays with a writer that renews its lease, however long that takes, and is taken over on request", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 1);
    const desktop = await start("desktop");
    for (let count = 0; count < 30; count++) {
      clock.ms += 60_000;
      await laptop.shared.look();
      await desktop.shared.look();
    }
    assert.equal(desktop.writer?.host, "laptop");
    await desktop.shared.takeOver();
    assert.equal(desktop.writer, undefined);
    await laptop.shared.look();
    assert.equal(laptop.writer?.host, "desktop");
  });

  it("loses no part of a response that streams while the writer changes, and no draft", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 1);
    const desktop = await start("desktop");
    let text = "One ";
    const response = () =>
      storedMessage("r", { role: "assistant", status: "streaming", parentId: "a-0", text });
    desktop.store.saveMessage("a", response(), response);
    desktop.store.saveDraft("new chat", { text: "unsent", attachments: [] });
    laptop.close();
    await desktop.shared.look();
    text += "two";
    desktop.store.appendDelta("a", "r", { kind: "text", text: "two" });
    desktop.store.saveMessage("a", { ...response(), status: "complete" });
    assert.equal(desktop.store.load("a")?.messages.at(-1)?.text, "One two");
    assert.equal(desktop.store.loadDraft("new chat").text, "unsent");
  });

  it("shows what the writer has added, as long as there are no local changes to merge", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 1);
    const desktop = await start("desktop");
    await new Promise((resolve) => setTimeout(resolve, 20));
    fillConversation(laptop.store, "b", 1);
    await desktop.shared.look();
    assert.deepEqual(ids(desktop.store), ["a", "b"]);
  });

  it("receives what is written while the conversations move to another store, in every direction", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 1);
    const desktop = await start("desktop");
    await new Promise((resolve) => setTimeout(resolve, 20));
    fillConversation(laptop.store, "b", 1);
    const refreshing = desktop.shared.look();
    desktop.store.saveMessage("a", storedMessage("while refreshing", { parentId: "a-0" }));
    await refreshing;
    const leaving = desktop.shared.takeOver();
    desktop.store.saveMessage("a", storedMessage("while merging", { parentId: "while refreshing" }));
    await leaving;
    const copying = laptop.shared.look();
    laptop.store.saveMessage("b", storedMessage("while copying", { parentId: "b-0" }));
    await copying;
    assert.deepEqual(messageIds(desktop.store, "a"), ["a-0", "while refreshing", "while merging"]);
    assert.deepEqual(messageIds(laptop.store, "b"), ["b-0", "while copying"]);
    desktop.close();
    await laptop.shared.look();
    assert.deepEqual(messageIds(laptop.store, "a"), ["a-0", "while refreshing", "while merging"]);
    assert.deepEqual(messageIds(laptop.store, "b"), ["b-0", "while copying"]);
  });

  it("receives what every window of a machine wrote to the copy, and doesn't restore conversations deleted elsewhere", async () => {
    const laptop = await start("laptop");
    for (const id of ["a", "b"]) fillConversation(laptop.store, id, 1);
    laptop.store.flush();
    const windows = [new Machine(root, "desktop", clock), new Machine(root, "desktop", clock)] as const;
    machines.push(...windows);
    await Promise.all(windows.map(({ store }) => store.start()));
    for (const [index, { store }] of windows.entries()) {
      fillConversation(store, `from window ${index}`, 1);
      store.flush();
    }
    laptop.store.deleteConversation("b");
    laptop.store.purgeConversation("b");
    laptop.close();
    for (const { shared } of windows) await shared.look();
    for (const { store } of windows) assert.deepEqual(ids(store), ["a", "from window 0", "from window 1"]);
  });

  it("receives the tags and settings changed on either machine, and never replaces a setting with an older one", async () => {
    const laptop = await start("laptop");
    const fields = (id: string) => ({ id, title: id, createdAt: 1, updatedAt: clock.ms });
    for (const id of ["a", "b"]) fillConversation(laptop.store, id, 1);
    laptop.store.tagConversation("a", ["both", "removed here", "removed there"]);
    laptop.store.saveConversation({ ...fields("a"), settings: { systemPrompt: "old" } });
    laptop.store.saveConversation({ ...fields("b"), settings: { systemPrompt: "old" } });
    laptop.store.flush();
    const desktop = await start("desktop");
    clock.ms += 10;
    desktop.store.tagConversation("a", ["both", "added there", "removed here"]);
    desktop.store.saveConversation({
      ...fields("a"),
      settings: { systemPrompt: "from desktop" },
      model: "m2",
    });
    desktop.store.saveConversation({ ...fields("b"), settings: { systemPrompt: "from desktop" } });
    clock.ms += 10;
    laptop.store.tagConversation("a", ["both", "added here", "removed there"]);
    laptop.store.saveConversation({ ...fields("a"), settings: { systemPrompt: "old", tools: ["t"] } });
    laptop.store.saveConversation({ ...fields("b"), settings: { systemPrompt: "later" } });
    laptop.close();
    await desktop.shared.look();
    assert.equal(desktop.writer, undefined);
    const { tags, settings, model } = desktop.store.load("a") ?? {};
    assert.deepEqual(tags, ["added here", "added there", "both"]);
    assert.deepEqual([settings, model], [{ systemPrompt: "from desktop", tools: ["t"] }, "m2"]);
    assert.deepEqual(desktop.store.load("b")?.settings, { systemPrompt: "later" });
  });

  it("leaves no copy on a machine that has merged its own, once that machine starts again", async () => {
    const laptop = await start("laptop");
    fillConversation(laptop.store, "a", 2);
    laptop.store.flush();
    const desktop = await start("desktop");
    fillConversation(desktop.store, "b", 1);
    desktop.close();
    removeMergedCopy(join(root, "desktop"));
    assert.ok(existsSync(join(root, "desktop", "copy.db")), "what isn't merged stays");
    laptop.close();
    const merging = await start("desktop");
    assert.deepEqual(ids(merging.store), ["a", "b"]);
    merging.close();
    const again = await start("desktop");
    assert.deepEqual(ids(again.store), ["a", "b"]);
    assert.deepEqual(
      readdirSync(join(root, "desktop")).filter((name) => /copy|merged/.test(name)),
      [],
    );
  });

  it("is not created on a disk that isn't connected, and the reason is given", async () => {
    const folder = join(root, "disk", "synced", "chats");
    const machine = new Machine(root, "laptop", clock, folder);
    machines.push(machine);
    await machine.store.start();
    assert.match(
      machine.trouble ?? "",
      /The conversations folder .* doesn't exist\. Is its disk connected\?/,
    );
    assert.equal(existsSync(join(root, "disk")), false);
  });

  it("isn't copied halfway while another machine keeps writing to it, and the reason is given", async () => {
    const office = await start("office");
    fillConversation(office.store, "c", 1);
    const { copyFile } = promises;
    const { now } = performance;
    let passed = 0;
    promises.copyFile = async (from, to) => {
      await copyFile(from, to);
      passed += 3_000;
      fillConversation(office.store, `c${passed}`, 1);
    };
    performance.now = () => passed;
    syncBuiltinESMExports();
    try {
      const laptop = await start("laptop");
      assert.match(
        laptop.trouble ?? "",
        /^The conversations folder .* can't be copied: another program keeps writing to it\. New messages are kept/,
      );
      assert.ok(passed < 20_000, "It gives up soon, however slow the disk is.");
      promises.copyFile = copyFile;
      syncBuiltinESMExports();
      await laptop.store.start();
      assert.equal(laptop.trouble, undefined);
      assert.deepEqual(ids(laptop.store), ids(office.store));
    } finally {
      Object.assign(promises, { copyFile });
      Object.assign(performance, { now });
      syncBuiltinESMExports();
    }
  });

  it("isn't taken over if it has disappeared, and the reason is given", async () => {
    await start("laptop");
    const desktop = await start("desktop");
    rmSync(join(root, "synced"), { recursive: true });
    await assert.rejects(desktop.shared.takeOver(), /The conversations folder .* can't be written to: /);
    mkdirSync(join(root, "synced", "chats"), { recursive: true });
  });

  it("is free if the lease can't be read", async () => {
    mkdirSync(join(root, "synced", "chats"));
    for (const text of ["", "{", "[]", '{"host":3}']) {
      writeFileSync(join(root, "synced", "chats", "writer.json"), text);
      const laptop = await start("laptop");
      assert.equal(laptop.writer, undefined, text);
      laptop.close();
    }
  });
});
