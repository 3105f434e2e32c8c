import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Conversation, ConversationSummary } from "../../../../src/core/conversation/conversation.ts";
import type { Draft, QueuedMessage } from "../../../../src/core/conversation/conversationStore.ts";
import { eventually } from "../../../support/eventually.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../../support/storeFolder.ts";
import { LockingProcess, WindowProcess, assertWords } from "../../../support/windowProcesses.ts";

/** Milliseconds within which the user is told, and what a busy machine may need in addition. */
const toldWithinMs = 3_000 + 3_000;

/** Something that keeps a window from writing. */
interface Trouble {
  begin(): void | Promise<void>;
  /** Undefined if the window gets over it alone. */
  end?(): void | Promise<void>;
  /** What the user must be told. */
  readonly cause: RegExp;
}

/** Runs a system command; returns whether that worked. */
function run(command: string, ...options: readonly string[]): boolean {
  return spawnSync(command, options, { stdio: "ignore" }).status === 0;
}

describe("While nothing can be written", function () {
  this.timeout(60_000);
  let folder: StoreFolder;
  let global: string;
  let temporary: string;
  let window: WindowProcess;
  let lock: LockingProcess | undefined;
  let isMounted = false;
  beforeEach(() => {
    folder = new StoreFolder();
    global = dirname(folder.file);
    temporary = join(folder.folder, "tmp");
    mkdirSync(global);
    mkdirSync(temporary);
    isMounted =
      process.platform === "linux" && run("mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", global);
  });
  afterEach(async () => {
    await window.kill();
    await lock?.release();
    unmount();
    folder.remove();
  });

  const elsewhere = (): string => join(folder.folder, "elsewhere");
  const large = (): string => join(global, "large");
  const unmount = (): void => {
    if (isMounted) run("umount", "-l", global);
    isMounted = false;
  };
  const troubles: Readonly<Record<string, Trouble>> = {
    "the disk is full": {
      begin: () => void run("dd", "if=/dev/zero", `of=${large()}`, "bs=1k", "count=4k"),
      end: () => rmSync(large()),
      cause: /the disk is full/u,
    },
    "another program has locked the file": {
      begin: async () => void (lock = await LockingProcess.hold(folder.file, "BEGIN IMMEDIATE")),
      end: async () => lock?.release(),
      cause: /locked the file/u,
    },
    "something else is in the place of the folder": {
      begin() {
        renameSync(global, elsewhere());
        writeFileSync(global, "a file");
      },
      end() {
        rmSync(global);
        renameSync(elsewhere(), global);
      },
      cause: /ENOTDIR|EEXIST/u,
    },
    "the folder was removed": {
      begin: () => rmSync(global, { recursive: true }),
      cause: /missing or empty/u,
    },
    "the folder was moved": {
      begin: () => renameSync(global, elsewhere()),
      cause: /missing or empty/u,
    },
    "the file was deleted": { begin: () => rmSync(folder.file), cause: /missing or empty/u },
    "the file and its log were deleted": {
      begin: () => ["", "-wal", "-shm"].forEach((suffix) => rmSync(folder.file + suffix)),
      cause: /missing or empty/u,
    },
    "the file was emptied": { begin: () => truncateSync(folder.file), cause: /missing or empty/u },
    "the file was replaced by another database": {
      begin() {
        const other = new StoreFolder();
        fillConversation(other.open(), "other", 2);
        other.close();
        copyFileSync(other.file, `${folder.file}.copy`);
        other.remove();
        for (const suffix of ["-wal", "-shm"]) rmSync(folder.file + suffix);
        renameSync(`${folder.file}.copy`, folder.file);
      },
      cause: /replaced/u,
    },
  };

  const draft = (text: string): Draft => ({ text, attachments: [] });
  const say = async (conversationId: string, id: string, text: string): Promise<unknown> =>
    window.call("save", { type: "message", conversationId, message: storedMessage(id, { text }) });

  /** Everything before the trouble, in a window that shows a conversation. */
  async function begin(): Promise<void> {
    window = new WindowProcess(folder.file, { ...process.env, TMPDIR: temporary });
    await window.call("save", {
      type: "conversation",
      fields: { id: "c1", title: "Title", createdAt: 1, updatedAt: 1 },
    });
    await say("c1", "before", "text before");
    await window.call("save", { type: "draft", conversationId: "c1", draft: draft("old draft") });
    await queue("q1");
    await window.call("persist");
    await window.call("list");
  }

  async function queue(id: string): Promise<unknown> {
    const change = { type: "add", message: { id, ...draft(`text of ${id}`) } };
    return window.call("save", { type: "queue", conversationId: "c1", change });
  }

  /** What is saved during the trouble. */
  async function goOn(): Promise<void> {
    await say("c1", "during", "text during");
    await say("c1", "removed", "removed text");
    await window.call("save", { type: "draft", conversationId: "c1", draft: draft("new draft") });
    await queue("q2");
    await window.stream("c2", "m1", 1_000);
    await window.grow(1_500);
    await window.call("save", { type: "removeMessage", conversationId: "c1", messageId: "removed" });
    await setTimeout(300);
  }

  type Read = (method: "load" | "list" | "loadDraft" | "loadQueue", ...ids: readonly string[]) => unknown;

  async function assertAll(read: Read): Promise<void> {
    const list = (await read("list")) as readonly ConversationSummary[];
    assert.deepEqual(
      list
        .map(({ id }) => id)
        .filter((id) => id !== "other")
        .toSorted(),
      ["c1", "c2"],
    );
    const { messages } = (await read("load", "c1")) as Conversation;
    assert.deepEqual(
      messages.map(({ text }) => text),
      ["text before", "text during"],
    );
    assert.deepEqual(await read("loadDraft", "c1"), draft("new draft"));
    const queued = (await read("loadQueue", "c1")) as readonly QueuedMessage[];
    assert.deepEqual(
      queued.map(({ id }) => id),
      ["q1", "q2"],
    );
    const streamed = ((await read("load", "c2")) as Conversation).messages[0]?.text ?? "";
    assertWords(streamed, window.durable);
  }

  const spills = (): readonly string[] =>
    [global, temporary].flatMap((path) => {
      try {
        return readdirSync(path).filter((name) => name.includes(".spill-"));
      } catch {
        return [];
      }
    });

  for (const [what, trouble] of Object.entries(troubles))
    for (const isKilled of trouble.end === undefined ? [false] : [false, true])
      it(`because ${what}, everything stays in view, the user is told, and it is stored once ${isKilled ? "at the next start" : "afterward"}`, async function () {
        if (what !== "the disk is full") unmount();
        else if (!isMounted) this.skip();
        await begin();
        await trouble.begin();
        const start = Date.now();
        await goOn();
        await assertAll((method, ...ids) => window.call(method, ...ids));
        await eventually(() =>
          assert.match([...window.troubles, ...window.problems].join("\n"), trouble.cause),
        );
        assert.ok(Date.now() - start < toldWithinMs, `told after ${Date.now() - start} ms`);
        assert.equal(spills().length, trouble.end === undefined ? 0 : 1, spills().join());
        if (isKilled) await window.kill();
        await trouble.end?.();
        if (!isKilled) {
          await eventually(() => assert.deepEqual(spills(), []));
          if (trouble.end !== undefined) await eventually(() => assert.equal(window.troubles.at(-1), ""));
          await assertAll((method, ...ids) => window.call(method, ...ids));
          await window.kill();
        }
        const { durable } = window;
        window = new WindowProcess(folder.file, { ...process.env, TMPDIR: temporary });
        window.durable = durable;
        await eventually(async () => assertAll((method, ...ids) => window.call(method, ...ids)));
        await eventually(() => assert.deepEqual(spills(), []));
      });

  for (const how of ["closed", "killed"] as const)
    it(`because the disk is read-only from the start, a window shows what one that was ${how} has stored, and stores the rest afterward`, async function () {
      if (!isMounted) this.skip();
      const remount = (mode: "ro" | "rw"): void => assert.ok(run("mount", "-o", `remount,${mode}`, global));
      await begin();
      if (how === "closed") await window.call("close");
      await window.kill();
      remount("ro");
      window = new WindowProcess(folder.file, { ...process.env, TMPDIR: temporary });
      const { messages } = (await window.call("load", "c1")) as Conversation;
      assert.deepEqual(
        messages.map(({ text }) => text),
        ["text before"],
      );
      assert.deepEqual(await window.call("loadDraft", "c1"), draft("old draft"));
      const start = Date.now();
      await goOn();
      await assertAll((method, ...ids) => window.call(method, ...ids));
      await eventually(() => assert.match(window.troubles.join("\n"), /read-only/u));
      assert.ok(Date.now() - start < toldWithinMs, `told after ${Date.now() - start} ms`);
      assert.equal(readdirSync(temporary).length, 1, "the spill file");
      remount("rw");
      await eventually(() => assert.equal(window.troubles.at(-1), ""));
      assert.deepEqual(spills(), []);
      await assertAll((method, ...ids) => window.call(method, ...ids));
      assert.deepEqual(window.problems, []);
      await window.kill();
      const { durable } = window;
      window = new WindowProcess(folder.file, { ...process.env, TMPDIR: temporary });
      window.durable = durable;
      await assertAll((method, ...ids) => window.call(method, ...ids));
    });
});
