import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { interruptedTool } from "../../../src/core/conversation/forkConversation.ts";
import { StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const starter = fileURLToPath(new URL("../../support/callStarter.ts", import.meta.url));

describe("The start of a tool call", function () {
  this.timeout(60_000);
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  const running = (id: string, parentId = "answer") =>
    storedMessage(id, { ...{ role: "tool", status: "streaming", text: "", parentId, toolCallId: id } });

  /** A conversation whose response requests tool calls. */
  function openWithCaller() {
    const store = folder.open();
    store.save({ type: "conversation", fields: { id: "c1", title: "Title", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "message", conversationId: "c1", message: storedMessage("question") });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("answer", { role: "assistant", parentId: "question" }),
    });
    store.flush();
    return store;
  }

  /** The outcomes of the same call in this many processes that start it at the same time. */
  async function race(count: number, replacedId = ""): Promise<readonly string[]> {
    const children = Array.from({ length: count }, (_, index) => {
      const options = [folder.file, `r${index}`, replacedId];
      const flags = ["--disable-warning=ExperimentalWarning", starter, ...options];
      return spawn(process.execPath, flags, { stdio: ["pipe", "pipe", "inherit"] });
    });
    const exits = children.map((child) => once(child, "exit"));
    const next = (): Promise<readonly string[]> =>
      Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0])));
    const toAll = (text: string): void => children.forEach(({ stdin }) => void stdin.write(text));
    await next();
    const outcomes = next();
    toAll("start\n");
    const results = await outcomes;
    toAll("end\n");
    await Promise.all(exits);
    return results;
  }

  it("succeeds in only one of several processes that try at the same time", async () => {
    const store = openWithCaller();
    const starts = await race(3);
    assert.deepEqual(starts.toSorted(), ["started", "taken", "taken"]);
    assert.equal(store.load("c1")?.messages.filter(({ role }) => role === "tool").length, 1);
  });

  it("succeeds in only one of two processes that repeat an interrupted call", async () => {
    const store = openWithCaller();
    store.save({ type: "message", conversationId: "c1", message: interruptedTool(running("lost")) });
    store.flush();
    assert.deepEqual((await race(2, "lost")).toSorted(), ["started", "taken"]);
  });

  it("fails if another window has the result or continued with another call", async () => {
    const [one, other] = [openWithCaller(), folder.open()];
    assert.equal(await one.startCall("c1", running("first")), "started");
    assert.equal(await other.startCall("c1", running("same")), "taken");
    one.save({
      type: "message",
      conversationId: "c1",
      message: { ...running("first"), status: "complete", finishReason: "done" },
    });
    one.flush();
    assert.equal(await other.startCall("c1", running("first")), "taken");
    assert.equal(await other.startCall("c1", running("second", "unknown here")), "taken");
    assert.equal(await other.startCall("c1", running("second", "first")), "started");
    assert.deepEqual(
      one.load("c1")?.messages.map(({ id }) => id),
      ["question", "answer", "first", "second"],
    );
  });

  it("is not stored after the store is closed", async () => {
    const store = openWithCaller();
    store.close();
    assert.equal(await store.startCall("c1", running("first")), "unwritten");
    assert.equal(folder.open().load("c1")?.messages.length, 2);
  });

  it("can't be stored while the disk refuses writes, and leaves no message", async () => {
    mkdirSync(folder.file, { recursive: true });
    const store = folder.open();
    store.save({ type: "conversation", fields: { id: "c1", title: "Title", createdAt: 1, updatedAt: 1 } });
    assert.equal(await store.startCall("c1", running("first")), "unwritten");
    assert.equal(await store.persist(), false);
    assert.deepEqual(store.load("c1")?.messages, []);
  });
});
