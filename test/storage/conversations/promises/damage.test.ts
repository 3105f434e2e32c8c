import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { listBackups, makeBackup } from "../../../../src/storage/database/backups.ts";
import { loadSqlite } from "../../../../src/storage/database/sqlite.ts";
import { eventually } from "../../../support/eventually.ts";
import { fillConversation, storedMessage } from "../../../support/storeFolder.ts";
import { WindowFolder } from "../../../support/windowProcesses.ts";
import type { WindowProcess } from "../../../support/windowProcesses.ts";

const day = 86_400_000;

describe("A conversations file that is lost or damaged", function () {
  this.timeout(60_000);
  let folder: WindowFolder;
  beforeEach(() => (folder = new WindowFolder()));
  afterEach(() => folder.end());

  const open = (): WindowProcess => folder.start();

  /** Two backups, and what none of them has. */
  async function create(): Promise<void> {
    const store = folder.open();
    fillConversation(store, "c1", 40, 3_000);
    await makeBackup(loadSqlite(), folder.file, Date.now() - 2 * day);
    await makeBackup(loadSqlite(), folder.file, Date.now() - 2 * day + 1);
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "c1-39" });
    fillConversation(store, "c2", 10, 3_000);
    store.flush();
    await eventually(() => {
      const database = new DatabaseSync(folder.file);
      const { count } = database.prepare("SELECT count(*) AS count FROM removal").get() ?? {};
      database.close();
      assert.equal(count, 0);
    });
    await makeBackup(loadSqlite(), folder.file, Date.now() - day);
    assert.equal(listBackups(folder.file).length, 2, "only the latest ones are kept");
    fillConversation(store, "c3", 10, 3_000);
    store.close();
  }

  const asides = (): readonly string[] =>
    readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));

  /** Asserts what two windows show that start at the same moment, and that one of them tells what came from where. */
  async function assertRecovered(
    kept: Readonly<Record<string, number>>,
    told: readonly RegExp[],
  ): Promise<void> {
    const [one, other] = [open(), open()];
    for (const window of [one, other])
      for (const [id, count] of Object.entries(kept))
        await eventually(async () => {
          const { messages } = (await window.call("load", id)) as { messages?: readonly unknown[] };
          assert.equal(messages?.length ?? 0, count, id);
        });
    const problems = [...one.problems, ...other.problems];
    assert.equal(problems.length, 1, problems.join("\n"));
    for (const sentence of told) assert.match(problems[0] ?? "", sentence);
    assert.ok(!existsSync(`${folder.file}.recovering`));
    const database = new DatabaseSync(folder.file);
    assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    database.close();
  }

  it("is restored from the latest backup if it is missing", async () => {
    await create();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(folder.file + suffix, { force: true });
    await assertRecovered({ c1: 39, c2: 10, c3: 0 }, [
      /missing or empty/u,
      /49 messages were restored from the backup/u,
    ]);
  });

  it("is restored from the latest backup if it is empty", async () => {
    await create();
    truncateSync(folder.file);
    await assertRecovered({ c1: 39, c2: 10, c3: 0 }, [
      /missing or empty/u,
      /49 messages were restored from the backup/u,
    ]);
  });

  it("is set aside if it is overwritten, and restored from the latest backup", async () => {
    await create();
    const garbage = "not a database".repeat(20_000);
    writeFileSync(folder.file, garbage);
    await assertRecovered({ c1: 39, c2: 10, c3: 0 }, [
      /set aside as/u,
      /49 messages were restored from the backup/u,
    ]);
    assert.equal(asides().length, 1);
    assert.equal(readFileSync(join(dirname(folder.file), asides()[0] ?? ""), "utf8"), garbage);
  });

  it("is restored from what can be read of it, and for the rest from the backup, if it is cut off", async () => {
    await create();
    const size = readFileSync(folder.file).length;
    truncateSync(folder.file, Math.floor(size / 2 / 4096) * 4096);
    const [one] = [open()];
    const list = async () => (await one.call("list")) as readonly { readonly id: string }[];
    await eventually(async () => assert.ok((await list()).length >= 2));
    for (const [id, count] of [
      ["c1", 39],
      ["c2", 10],
    ] as const)
      assert.equal(((await one.call("load", id)) as { messages: readonly unknown[] }).messages.length, count);
    assert.match(
      one.problems[0] ?? "",
      /[0-9]+ messages were recovered from it\. [0-9]+ messages were restored/u,
    );
  });

  it("is recovered by the next window if the one that began was killed, at any step", async () => {
    await create();
    const garbage = "not a database".repeat(20_000);
    const isReplaced = (): boolean => readFileSync(folder.file, "utf8") !== garbage;
    const names = (): readonly string[] => readdirSync(dirname(folder.file));
    const steps: Readonly<Record<string, () => boolean>> = {
      "when it begins": () => names().some((name) => name.endsWith(".recovering")),
      "when the file is set aside": () => asides().length > 0,
      "when the new file is begun": () => names().some((name) => name.endsWith(".new")),
      "while the new file is filled": () => names().some((name) => name.endsWith(".new-journal")),
      "when the new file is in place": isReplaced,
    };
    for (const [step, isReached] of Object.entries(steps)) {
      for (const name of [...asides(), "conversations.db-wal", "conversations.db-shm"])
        rmSync(join(dirname(folder.file), name), { force: true });
      writeFileSync(folder.file, garbage);
      const killed = open();
      const end = Date.now() + 10_000;
      while (!isReached() && Date.now() < end) await setImmediate();
      await killed.kill();
      const window = open();
      await eventually(async () => {
        const { messages } = (await window.call("load", "c1")) as { messages?: readonly unknown[] };
        assert.equal(messages?.length, 39, step);
      });
      assert.deepEqual(
        names().filter((name) => /recovering|new/u.test(name)),
        [],
        step,
      );
      assert.ok(
        asides().some((name) => readFileSync(join(dirname(folder.file), name), "utf8") === garbage),
        `${step}: it is kept`,
      );
      await window.kill();
    }
  });

  it("is left unchanged, with a clear sentence, if a newer version has written it", async () => {
    await create();
    const database = new DatabaseSync(folder.file);
    database.exec("PRAGMA user_version = 999");
    database.close();
    const before = readFileSync(folder.file);
    const window = open();
    await assert.rejects(
      window.call("load", "c1"),
      /newer version of Inference Gateway.*Nothing was changed/u,
    );
    await window.call("save", {
      ...{ type: "message", conversationId: "c1" },
      message: storedMessage("new"),
    });
    await eventually(() => assert.match(window.troubles.at(-1) ?? "", /newer version/u));
    assert.equal(folder.spillNames().length, 1, "what is written meanwhile is kept");
    await window.kill();
    await open().call("claim", "notice", "k", 1);
    assert.deepEqual(readFileSync(folder.file), before);
    assert.equal(folder.spillNames().length, 1);
  });
});
