import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import type { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { StoreFolder, storedMessage } from "../support/storeFolder.ts";

/** What a conversation store has to contain: the title and the texts of each conversation that isn't deleted. */
interface Expected {
  title: string;
  isDeleted: boolean;
  /** Whether the window that has deleted it was closed since, so that it can't be restored. */
  isGone: boolean;
  deletedBy: 0 | 1 | undefined;
  readonly texts: Map<string, string>;
}

type Operation = readonly [
  window: 0 | 1,
  what:
    | "add"
    | "grow"
    | "complete"
    | "remove"
    | "rename"
    | "delete"
    | "restore"
    | "reopen"
    | "lock"
    | "unlock"
    | "die",
  conversation: "c1" | "c2",
  text: string,
];

const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.tuple(
    fc.constantFrom(0, 1),
    fc.constantFrom(
      ...(["add", "add", "grow", "grow", "grow", "complete", "remove", "rename"] as const),
      ...(["delete", "restore", "reopen", "lock", "unlock", "die"] as const),
    ),
    fc.constantFrom("c1", "c2"),
    fc.string({ unit: "grapheme", maxLength: 20 }),
  ),
  { maxLength: 40 },
);

/** Two windows with the same file, another program that may lock it, and what all of them must agree on. */
class Desk {
  readonly folder = new StoreFolder();
  readonly windows: [SqliteConversationStore, SqliteConversationStore];
  readonly expected = new Map<string, Expected>();
  #lock: DatabaseSync | undefined;
  /** The only one that writes while the file is locked. */
  #writer: 0 | 1 = 0;
  /** The message that grows, and the window that requested it. */
  #growing: { readonly window: 0 | 1; readonly conversation: string; readonly id: string } | undefined;
  #count = 0;

  constructor() {
    this.windows = [this.folder.open(), this.folder.open()];
    for (const id of ["c1", "c2"]) {
      this.windows[0].save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt: 1 } });
      // A conversation is listed once it has a message.
      const message = storedMessage(`${id}-first`);
      this.windows[0].save({ type: "message", conversationId: id, message });
      const texts = new Map([[message.id, message.text]]);
      this.expected.set(id, { title: id, isDeleted: false, isGone: false, deletedBy: undefined, texts });
    }
    this.windows[0].flush();
  }

  async run([asked, what, id, text]: Operation): Promise<void> {
    const window = this.#lock === undefined ? asked : this.#writer;
    const store = this.windows[window];
    const conversation = this.expected.get(id) ?? assert.fail();
    if (what === "lock" || what === "unlock") await this.#setLocked(what === "lock", window);
    else if (what === "reopen") this.#reopen(window);
    else if (what === "die") this.#checkAfterDeath();
    else if (what === "restore") {
      store.save({ type: "restore", id });
      conversation.isDeleted = conversation.isGone;
    } else if (!conversation.isDeleted) this.#change(what, window, id, text);
    if (this.#lock === undefined) store.flush();
    // While the file is locked, the other window can't see what isn't in it yet.
    const shown = this.#lock === undefined ? this.windows : [this.windows[window]];
    for (const one of shown) this.check(one);
  }

  check(store: SqliteConversationStore): void {
    const shown = new Map(store.list().map((one) => [one.id, one.title]));
    for (const [id, { title, isDeleted, texts }] of this.expected) {
      assert.equal(shown.get(id), isDeleted ? undefined : title, `the title of ${id}`);
      if (isDeleted) continue;
      const stored = store.load(id)?.messages.map((message) => [message.id, message.text]);
      assert.deepEqual(stored, [...texts], `the messages of ${id}`);
    }
  }

  async end(): Promise<void> {
    await this.#setLocked(false, 0);
    for (const store of this.windows) this.check(store);
    this.#checkAfterDeath();
    this.folder.remove();
  }

  #change(
    what: Exclude<Operation[1], "lock" | "unlock" | "reopen" | "die" | "restore">,
    window: 0 | 1,
    id: string,
    text: string,
  ): void {
    const store = this.windows[window];
    const conversation = this.expected.get(id) ?? assert.fail();
    const { texts } = conversation;
    switch (what) {
      case "add": {
        const isGrowing = this.#growing === undefined && text.length % 2 === 0;
        const message = storedMessage(`m${++this.#count}`, {
          ...{ role: "assistant", text, status: isGrowing ? "streaming" : "complete" },
        });
        store.save({ type: "message", conversationId: id, message });
        if (isGrowing) this.#growing = { window, conversation: id, id: message.id };
        texts.set(message.id, text);
        break;
      }
      case "grow":
      case "complete":
        this.#grow(what, window, id, text);
        break;
      case "remove": {
        const [last] = [...texts.keys()].reverse();
        if (last === undefined || texts.size === 1 || last === this.#growing?.id) return;
        store.save({ type: "removeMessage", conversationId: id, messageId: last });
        texts.delete(last);
        break;
      }
      case "rename": {
        const title = `Title ${++this.#count}`;
        store.save({ type: "title", id, title, source: "user" });
        conversation.title = title;
        break;
      }
      case "delete":
        if (this.#growing?.conversation === id) return;
        store.save({ type: "delete", id });
        conversation.isDeleted = true;
        conversation.deletedBy = window;
    }
  }

  #grow(what: "grow" | "complete", window: 0 | 1, conversationId: string, text: string): void {
    const growing = this.#growing;
    if (growing?.window !== window || growing.conversation !== conversationId) return;
    const store = this.windows[window];
    const { texts } = this.expected.get(conversationId) ?? assert.fail();
    const before = texts.get(growing.id) ?? "";
    if (what === "grow") {
      store.appendDelta(conversationId, growing.id, { kind: "text", text });
      texts.set(growing.id, before + text);
      return;
    }
    const message = storedMessage(growing.id, { role: "assistant", text: before });
    store.save({ type: "message", conversationId, message });
    this.#growing = undefined;
  }

  async #setLocked(isLocked: boolean, writer: 0 | 1): Promise<void> {
    if (isLocked === (this.#lock !== undefined)) return;
    if (isLocked) {
      this.#lock = new DatabaseSync(this.folder.file);
      this.#lock.exec("BEGIN IMMEDIATE");
      this.#writer = writer;
      return;
    }
    this.#lock?.exec("ROLLBACK");
    this.#lock?.close();
    this.#lock = undefined;
    assert.ok(await this.windows[this.#writer].persist(), "everything is written once the lock is gone");
  }

  /** Closes the window's store, which takes nothing along that wasn't written, and opens it again. */
  #reopen(window: 0 | 1): void {
    if (this.#lock !== undefined || this.#growing?.window === window) return;
    this.windows[window].close();
    this.windows[window] = this.folder.open();
    for (const conversation of this.expected.values())
      if (conversation.isDeleted && conversation.deletedBy === window) conversation.isGone = true;
  }

  /** What the files contain now is what is left if everything dies at this moment. */
  #checkAfterDeath(): void {
    if (this.#lock !== undefined) return;
    for (const store of this.windows) store.flush();
    const copy = mkdtempSync(join(tmpdir(), "after-"));
    cpSync(dirname(this.folder.file), join(copy, "global"), { recursive: true });
    const left = new StoreFolder(copy);
    this.check(left.open());
    left.remove();
    rmSync(copy, { recursive: true, force: true });
  }
}

describe("Properties of stored conversations", function () {
  this.timeout(300_000);

  it("both windows and the files contain what was saved, whatever is locked, closed or killed in between", async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const desk = new Desk();
        try {
          for (const operation of list) await desk.run(operation);
        } finally {
          await desk.end();
        }
      }),
      { numRuns: Math.ceil(Number(process.env["PROPERTY_RUNS"] ?? 200) / 8) },
    );
  });
});
