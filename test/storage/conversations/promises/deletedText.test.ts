import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import { makeBackup, listBackups } from "../../../../src/storage/database/backups.ts";
import { loadSqlite } from "../../../../src/storage/database/sqlite.ts";
import { storedMessage } from "../../../support/storeFolder.ts";
import { WindowFolder } from "../../../support/windowProcesses.ts";
import type { WindowProcess } from "../../../support/windowProcesses.ts";
import { systemCodeOf } from "../../../../src/core/kernel/thrown.ts";

/** Milliseconds after which nothing may be left, and what a busy machine may need in addition. */
const cleanAfterMs = 5_000;
const slowMachineMs = 5_000;

const canary = (name: string): string => `qzjxkv-CANARY-${name}-wvqpz`;

describe("Deleted text", function () {
  this.timeout(60_000);
  let folder: WindowFolder;
  beforeEach(() => (folder = new WindowFolder()));
  afterEach(() => folder.end());

  const open = (): WindowProcess => folder.start();

  /** The names of the files that contain the text, by its canary. */
  function found(...names: readonly string[]): readonly string[] {
    return [dirname(folder.file), folder.temporary].flatMap((top) =>
      readdirSync(top).flatMap((file) => {
        const bytes = readIfThere(join(top, file));
        return names.filter((name) => bytes.includes(canary(name))).map((name) => `${name} in ${file}`);
      }),
    );
  }

  async function becomesClean(...names: readonly string[]): Promise<void> {
    const end = Date.now() + cleanAfterMs + slowMachineMs;
    while (found(...names).length > 0 && Date.now() < end) await setTimeout(50);
    assert.deepEqual(found(...names), []);
  }

  const kinds = [
    "removed",
    "replaced",
    "purged",
    "masked",
    "attached",
    "called",
    "titled",
    "prompted",
  ] as const;

  const message = (conversationId: string, id: string, text: string, change: Partial<Message> = {}) => ({
    ...{ type: "message", conversationId },
    message: storedMessage(id, { text, reasoning: text.repeat(20), ...change }),
  });
  const fields = (id: string, title = id, systemPrompt = "") => ({
    type: "conversation",
    fields: { id, title, createdAt: 1, updatedAt: 1, settings: { systemPrompt } },
  });
  const attached = (text: string) =>
    message("c1", "attached", "With a file", { attachments: [{ type: "text", text }] });
  const called = (written: string) =>
    message("c1", "called", "With a call", {
      toolCalls: [{ id: "call", name: "look", arguments: written }],
    });
  const draft = (text: string) => ({
    ...{ type: "draft", conversationId: "c1", draft: { text, attachments: [] } },
  });

  async function write(window: WindowProcess): Promise<void> {
    await window.call("save", fields("c1", canary("titled"), canary("prompted")));
    await window.call("save", fields("c2"));
    await window.call("save", attached(canary("attached")));
    await window.call("save", called(canary("called")));
    for (let i = 0; i < 20; i++) await window.call("save", message("c1", `kept${i}`, `${i} `.repeat(300)));
    await window.call("save", message("c1", "removed", canary("removed").repeat(300)));
    await window.call("save", message("c1", "replaced", canary("replaced").repeat(300)));
    await window.call("save", message("c2", "purged", canary("purged").repeat(300)));
    await window.call("save", draft(canary("masked")));
    await window.call("search", "CANARY");
  }

  async function remove(window: WindowProcess): Promise<void> {
    await window.call("save", { type: "removeMessage", conversationId: "c1", messageId: "removed" });
    await window.call("save", message("c1", "replaced", "something else"));
    await window.call("save", attached("•••"));
    await window.call("save", called("•••"));
    await window.call("save", fields("c1", "•••", "•••"));
    await window.call("save", { type: "delete", id: "c2" });
    await window.call("save", { type: "purge", id: "c2" });
    await window.call("save", draft("•••"));
  }

  async function writeAndBackUp(): Promise<WindowProcess> {
    const window = open();
    await write(window);
    await window.call("persist");
    await makeBackup(loadSqlite(), folder.file, Date.now());
    assert.ok(found(...kinds).some((where) => where.includes(".backup-")));
    return window;
  }

  it("is gone from every file, backups included, while two windows are open", async () => {
    const window = await writeAndBackUp();
    await open().call("list");
    await remove(window);
    await becomesClean(...kinds);
    assert.equal(listBackups(folder.file).length, 1);
  });

  for (const delay of [0, 300, 2_050])
    it(`is gone after the window was killed ${delay} ms after the deletion and another one has started`, async () => {
      const window = await writeAndBackUp();
      await remove(window);
      await setTimeout(delay);
      await window.kill();
      const next = open();
      const { messages } = (await next.call("load", "c1")) as { messages: readonly { id: string }[] };
      const isDeleted = !messages.some(({ id }) => id === "removed");
      assert.ok(isDeleted || delay < 250, "what was deleted 250 ms ago");
      // What followed within 250 ms may have been lost with the window.
      if (isDeleted) await becomesClean(...(delay < 250 ? (["removed"] as const) : kinds));
      assert.equal(messages.length, isDeleted ? 23 : 24);
    });

  it("is in no spill file, and gone from the database after a lock during which the window was killed", async () => {
    const window = await writeAndBackUp();
    const lock = await folder.lock("BEGIN IMMEDIATE");
    await window.call("save", message("c1", "new", canary("unwritten")));
    await setTimeout(600);
    assert.ok(found("unwritten").some((where) => where.includes(".spill-")));
    await remove(window);
    await window.call("save", { type: "removeMessage", conversationId: "c1", messageId: "new" });
    await setTimeout(400);
    assert.deepEqual(found("unwritten"), []);
    assert.deepEqual(
      found(...kinds).filter((where) => where.includes(".spill-")),
      [],
    );
    await window.kill();
    await lock.release();
    open();
    await becomesClean(...kinds);
  });
});

/** A journal may be gone before it is read. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    assert.equal(systemCodeOf(error), "ENOENT");
    return Buffer.alloc(0);
  }
}
