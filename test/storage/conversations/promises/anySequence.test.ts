import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationStore, StoredChange } from "../../../../src/core/conversation/conversationStore.ts";
import { StoreFolder, temporaryStore, storedMessage } from "../../../support/storeFolder.ts";

type Act = (store: ConversationStore) => void;

/** Random changes as windows make them: to existing conversations, and none to one that was permanently removed. */
class Changes {
  readonly #existing = new Set<string>();
  readonly #purged = new Set<string>();
  #seed: number;
  #time = 1;

  constructor(seed: number) {
    this.#seed = seed * 100_003 + 1;
    for (let i = 0; i < 5; i++) this.random(1);
  }

  random(count: number): number {
    return (this.#seed = (this.#seed * 48_271) % 2_147_483_647) % count;
  }

  /** @param isListed Whether the conversation is in the list. */
  next(isListed: (id: string) => boolean): Act {
    for (;;) {
      const id = `c${this.random(3)}`;
      if (this.#purged.has(id)) continue;
      if (!this.#existing.has(id) && this.random(2) === 0) return this.#save(this.#fields(id));
      if (this.#existing.has(id) && this.random(2) === 0) return this.#message(id);
      if (this.random(20) > 0 || isListed(id)) return this.#save(this.#other(id));
      this.#purged.add(id);
      return this.#save({ type: "purge", id });
    }
  }

  #save(change: StoredChange): Act {
    return (store) => store.save(change);
  }

  #fields(id: string): StoredChange {
    this.#existing.add(id);
    const at = ++this.#time;
    return { type: "conversation", fields: { id, title: `words ${at}`, createdAt: 1, updatedAt: at } };
  }

  #message(conversationId: string): Act {
    const at = ++this.#time;
    const [id, parent] = [`m${this.random(4)}`, `m${this.random(4)}`];
    const parentId = parent < id ? { parentId: parent } : {};
    const attachments = this.random(3) > 0 ? [] : [{ type: "text", text: `file ${at}` } as const];
    const text = `text ${at} `;
    switch (this.random(5)) {
      case 0: {
        const message = storedMessage(id, { status: "streaming", text, ...parentId });
        return this.#save({ type: "message", conversationId, message });
      }
      case 1: {
        const message = storedMessage(id, { text, attachments, ...parentId });
        return this.#save({ type: "message", conversationId, message });
      }
      case 2:
        return this.#save({ type: "removeMessage", conversationId, messageId: id });
      default:
        return (store) => store.appendDelta(conversationId, id, { kind: "text", text });
    }
  }

  #other(id: string): StoredChange {
    const at = ++this.#time;
    const message = { id: `q${this.random(3)}`, text: `queued ${at}`, attachments: [] };
    const draft = { text: this.random(4) === 0 ? "" : `draft ${at}`, attachments: [] };
    const changes: readonly StoredChange[] = [
      this.#existing.has(id) ? this.#fields(id) : { type: "restore", id },
      { type: "title", id, title: `title ${at}`, source: this.random(2) === 0 ? "user" : "model" },
      { type: "pin", id, isPinned: this.random(2) === 0 },
      { type: "tags", id, tags: [`tag ${at}`] },
      { type: "delete", id },
      { type: "restore", id },
      { type: "draft", conversationId: id, draft },
      { type: "queue", conversationId: id, change: { type: "add", message } },
      { type: "queue", conversationId: id, change: { type: "edit", message } },
      { type: "queue", conversationId: id, change: { type: "remove", id: message.id } },
      { type: "queue", conversationId: id, change: { type: "order", ids: ["q2", "q0", "q1"] } },
    ];
    return changes[this.random(changes.length)] ?? assert.fail();
  }
}

/** Everything that a window shows. Whether a response is streaming depends on who asks. */
function shown(store: ConversationStore): unknown {
  const ids = ["c0", "c1", "c2"];
  return {
    list: store.list(),
    loaded: ids.map((id) => {
      const { messages = [], ...head } = store.load(id) ?? {};
      return [
        head,
        messages.map(({ id: one, text, parentId, attachments }) => [one, text, parentId, attachments]),
      ];
    }),
    drafts: ids.map((id) => store.loadDraft(id)),
    queues: ids.map((id) => store.loadQueue(id)),
  };
}

describe("Any sequence of changes", function () {
  this.timeout(60_000);
  for (let seed = 1; seed <= 6; seed++)
    it(`shows and stores the same during a lock, after it, and after a kill as without one (${seed})`, () => {
      const [folder, killed] = [new StoreFolder(), new StoreFolder()];
      const expected = temporaryStore();
      let now = 0;
      const store = folder.open(
        () => 1,
        () => now,
      );
      const changes = new Changes(seed);
      const changeBoth = (): void => {
        const act = changes.next((id) => expected.list().some((one) => one.id === id));
        for (const each of [expected, store]) act(each);
        expected.flush();
      };
      /** As time passes, so that what is pending goes to the spill file. */
      const spill = (): void => {
        for (const ms of [300, 2_000]) {
          now += ms;
          store.flush();
        }
      };
      for (let i = 0; i < 10; i++) changeBoth();
      store.flush();
      const holder = new DatabaseSync(folder.file);
      holder.exec("BEGIN IMMEDIATE");
      for (let i = 0; i < 40; i++) {
        changeBoth();
        if (changes.random(4) === 0) spill();
        if (changes.random(5) === 0) assert.deepEqual(shown(store), shown(expected), "during the lock");
      }
      spill();
      mkdirSync(dirname(killed.file));
      // A killed window leaves these files, and its process ID is gone.
      for (const name of readdirSync(dirname(folder.file)).filter((each) => !each.endsWith("-shm")))
        copyFileSync(
          join(dirname(folder.file), name),
          join(dirname(killed.file), name.replace(`-${process.pid}-`, "-0-")),
        );
      assert.deepEqual(shown(killed.open(() => 1)), shown(expected), "after a kill");
      assert.deepEqual(killed.spillNames(), []);
      holder.exec("ROLLBACK");
      holder.close();
      spill();
      assert.deepEqual(shown(store), shown(expected), "after the lock");
      assert.deepEqual([...folder.spillNames(), ...folder.problems, ...killed.problems], []);
      expected.close();
      folder.remove();
      killed.remove();
    });
});
