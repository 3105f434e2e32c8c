import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { transact } from "../../../src/storage/database/journal.ts";
import { BusyError } from "../../../src/storage/database/sqliteTrouble.ts";
import type { Records } from "../../../src/storage/records/recordsFile.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

/** Content that must not be in any file once it was deleted. */
const canary = "qzjxkv-CANARY-7731-wvqpz";

describe("The file of records", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  async function put(records: Records, text = "x"): Promise<void> {
    await records.attempt(({ database }) =>
      database.prepare("INSERT OR REPLACE INTO tool_permissions VALUES (1, ?)").run(text),
    );
  }

  async function get(records: Records): Promise<unknown> {
    return records.attempt(
      ({ database }) => database.prepare("SELECT text FROM tool_permissions").get()?.["text"],
    );
  }

  const erase = (records: Records): Promise<unknown> =>
    records.attempt(({ database }) => database.exec("DELETE FROM tool_permissions"), { isErasure: true });

  /** Whether the text leaves all files within 5 seconds. */
  async function leaves(text: string): Promise<boolean> {
    for (let tries = 0; tries < 100 && folder.filesWith(text).length > 0; tries++) await setTimeout(50);
    return folder.filesWith(text).length === 0;
  }

  it("can be read only by its owner", async function () {
    if (process.platform === "win32") this.skip();
    await put(folder.open());
    for (const name of readdirSync(dirname(folder.file)))
      assert.equal(statSync(`${dirname(folder.file)}/${name}`).mode & 0o077, 0, name);
  });

  it("shows each window what another one has written", async () => {
    const [left, right] = [folder.open(), folder.open()];
    await put(left, "first");
    assert.equal(await get(right), "first");
    await put(left, "second");
    assert.equal(await get(right), "second");
  });

  it("is written once another program unlocks it, and the host isn't blocked in the meantime", async () => {
    const records = folder.open();
    await put(records);
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    let [turns, longest, last] = [0, 0, performance.now()];
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      turns++;
    }, 5);
    const written = put(records, "later");
    await setTimeout(500);
    assert.equal(await get(records), "x");
    program.exec("ROLLBACK");
    await written;
    clearInterval(timer);
    assert.equal(await get(records), "later");
    assert.ok(turns > 20 && longest < 250, `${turns} turns, one of ${longest} ms`);
  });

  it("can be opened and read while another program writes", async () => {
    await put(folder.open(), "kept");
    folder.openDatabase().exec("BEGIN IMMEDIATE");
    assert.equal(await get(folder.open()), "kept");
  });

  it("reports a file that stays locked, and changes nothing later", async () => {
    const records = folder.open();
    await put(records, "kept");
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    await assert.rejects(put(records, "lost"), (error) => {
      assert.ok(error instanceof BusyError);
      assert.match(error.message, /locked the file .*records\.db/u);
      return true;
    });
    program.exec("ROLLBACK");
    await setTimeout(150);
    assert.equal(await get(records), "kept");
  });

  it("tries for longer if nothing waits for the result", async () => {
    const records = folder.open();
    await put(records);
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    const written = records.attempt(({ database }) => database.exec("DELETE FROM tool_permissions"), {
      isPatient: true,
    });
    await setTimeout(4_000);
    program.exec("ROLLBACK");
    await written;
    assert.equal(await get(records), undefined);
  });

  for (const [what, change] of [
    ["was removed", () => rmSync(folder.file)],
    [
      "was removed with its log",
      () => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${folder.file}${suffix}`);
      },
    ],
    ["was emptied", () => writeFileSync(folder.file, "")],
    ["was replaced by an empty one", () => replaceByEmpty()],
    ["was moved with its folder", () => renameSync(dirname(folder.file), `${folder.folder}/moved`)],
  ] as const)
    it(`holds in every window and after a restart what is written after it ${what}`, async () => {
      const [left, right] = [folder.open(), folder.open()];
      await put(left, "before");
      assert.equal(await get(right), "before");
      change();
      await put(left, "after");
      assert.equal(await get(right), "after");
      folder.close();
      assert.equal(await get(folder.open()), "after");
    });

  function replaceByEmpty(): void {
    writeFileSync(`${folder.file}.new`, "");
    renameSync(`${folder.file}.new`, folder.file);
  }

  it("makes a change completely or not at all", async () => {
    const records = folder.open();
    await put(records, "kept");
    const failing = records.attempt(({ database }) =>
      transact(database, () => {
        database.exec("DELETE FROM tool_permissions");
        throw new Error("stopped");
      }),
    );
    await assert.rejects(failing, /stopped/u);
    assert.equal(await get(records), "kept");
  });

  it("waits for the disk only with changes that must survive a power failure", async () => {
    const records = folder.open();
    const level = (isDurable: boolean): Promise<unknown> =>
      records.attempt(({ database }) => database.prepare("PRAGMA synchronous").get()?.["synchronous"], {
        isDurable,
      });
    assert.deepEqual([await level(false), await level(true), await level(false)], [1, 2, 1]);
  });

  it("accepts attempts after it was disposed, and is closed after them", async () => {
    const records = folder.open();
    await put(records);
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    const late = put(records, "late");
    await setTimeout(20);
    records.dispose();
    program.exec("ROLLBACK");
    program.close();
    await late;
    assert.equal(existsSync(`${folder.file}-wal`), false);
    assert.equal(await get(records), "late");
    assert.equal(existsSync(`${folder.file}-wal`), false);
  });

  it("keeps nothing of deleted content, in its log neither", async () => {
    const records = folder.open();
    folder.open().attempt(() => undefined);
    await put(records, canary.repeat(500));
    assert.notDeepEqual(folder.filesWith(canary), []);
    await erase(records);
    assert.ok(await leaves(canary));
  });

  it("empties the log of deleted content as soon as no other process is reading", async () => {
    const records = folder.open();
    await put(records, canary);
    const reader = folder.openDatabase();
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM tool_permissions").get();
    await erase(records);
    await setTimeout(400);
    assert.notDeepEqual(folder.filesWith(canary), []);
    reader.exec("COMMIT");
    assert.ok(await leaves(canary));
  });

  it("empties a log in which a killed window left deleted content", async () => {
    const module = new URL("../../support/recordsFolder.ts", import.meta.url).href;
    const script = `
      const { openRecords } = await import(${JSON.stringify(module)});
      const records = openRecords(${JSON.stringify(folder.file)});
      await records.attempt(({ database }) => database.exec(
        "INSERT INTO tool_permissions VALUES (1, '${canary}')"));
      await records.attempt(({ database }) => database.exec("DELETE FROM tool_permissions"));
      process.kill(process.pid, "SIGKILL");`;
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
    assert.equal(spawnSync(process.execPath, flags).signal, "SIGKILL");
    assert.notDeepEqual(folder.filesWith(canary), []);
    await get(folder.open());
    assert.ok(await leaves(canary));
  });

  describe("that is damaged", () => {
    beforeEach(async () => {
      await put(folder.open(), canary);
      folder.close();
    });

    it("is started over, and nothing of it is kept", async () => {
      const bytes = readFileSync(folder.file);
      writeFileSync(folder.file, Buffer.concat([Buffer.from("broken"), bytes.subarray(6)]));
      assert.equal(await get(folder.open()), undefined);
      assert.equal(folder.replacements, 1);
      assert.deepEqual(folder.filesWith(canary), []);
    });

    it("is started over by one window at a time, so that a new file isn't mistaken for the damaged one", async () => {
      writeFileSync(folder.file, "not a database".repeat(1_000));
      const other = new DatabaseSync(`${folder.file}.recovering`);
      other.exec("BEGIN EXCLUSIVE");
      await assert.rejects(get(folder.open()), BusyError);
      assert.deepEqual(
        [folder.replacements, readFileSync(folder.file, "utf8").slice(0, 14)],
        [0, "not a database"],
      );
      other.close();
      await get(folder.open());
      assert.equal(folder.replacements, 1);
      assert.equal(existsSync(`${folder.file}.recovering`), false);
    });

    it("is also started over if only a part turns out to be damaged", async () => {
      const records = folder.open();
      await records.attempt(({ database }) =>
        transact(database, () => {
          for (let id = 0; id < 200; id++)
            database.prepare("INSERT INTO server_list VALUES ('p', ?, ?)").run(String(id), "x".repeat(200));
        }),
      );
      folder.close();
      const bytes = readFileSync(folder.file);
      bytes.fill(0xff, bytes.length / 2);
      writeFileSync(folder.file, bytes);
      const count = (opened: Records): Promise<unknown> =>
        opened.attempt(({ database }) => database.prepare("SELECT text FROM server_list").all().length);
      assert.equal(await count(folder.open()), 0);
      assert.equal(folder.replacements, 1);
    });
  });

  it("rejects at once what can't be written", async () => {
    mkdirSync(folder.file, { recursive: true });
    const began = performance.now();
    await assert.rejects(put(folder.open()), /unable to open/u);
    assert.ok(performance.now() - began < 1_000);
  });
});
