import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ExchangeTable } from "../../../src/storage/records/exchangeTable.ts";
import { createAttempt, createExchange } from "../../support/exchanges.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

describe("Exchanges on disk", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (records = folder.open()): ExchangeTable => new ExchangeTable(records, "conversation");

  async function count(): Promise<unknown> {
    return folder
      .open()
      .attempt(({ database }) => database.prepare("SELECT count(*) AS count FROM exchange").get()?.["count"]);
  }

  it("are loaded unchanged", async () => {
    const stream = {
      firstByteMs: 1,
      lastByteMs: 2,
      firstDeltaMs: 1,
      firstTextMs: 1.5,
      bytes: 10,
      chunks: 2,
      textDeltas: 1,
      reasoningDeltas: 0,
      toolCallDeltas: 0,
      gaps: [{ atMs: 1, lastedMs: 1_500 }],
    };
    const error = { reason: "rateLimit", message: "Slow down.", statusCode: 429, retryAfterMs: 5 } as const;
    const exchange = createExchange({
      attempts: [
        createAttempt({
          failure: { atMs: 3, error, waitMs: 5 },
          connection: { isReused: true, proxy: "http://p" },
        }),
        createAttempt({ stream }),
      ],
    });
    await open().save("c", "m", [exchange]);
    assert.deepEqual(await open().load("c", "m"), [exchange]);
  });

  it("are empty if nothing was stored", async () => {
    assert.deepEqual(await open().load("c", "m"), []);
  });

  it("can have any conversation ID, and requests of no conversation aren't mistaken for theirs", async () => {
    const records = folder.open();
    const exchanges = open(records);
    const id = "../../outside'; DROP TABLE exchange; --\0";
    await exchanges.save(id, "m", [createExchange()]);
    assert.equal((await exchanges.load(id, "m")).length, 1);
    assert.deepEqual(await new ExchangeTable(records, "request").load(id, "m"), []);
  });

  it("are deleted with their conversation, however many there are", async () => {
    const exchanges = open();
    for (let id = 0; id < 45; id++) await exchanges.save("a", `m${id}`, [createExchange()]);
    await exchanges.save("b", "m", [createExchange()]);
    await exchanges.deleteConversation("a");
    assert.equal(await count(), 1);
    assert.equal((await exchanges.load("b", "m")).length, 1);
  });

  it("are removed from the oldest on when there are too many", async () => {
    const records = folder.open();
    const exchanges = new ExchangeTable(records, "conversation", { rows: 2, bytes: 1_000_000 });
    await new ExchangeTable(records, "request").save("c", "1", [createExchange()]);
    for (const id of ["1", "2", "3", "2", "4"]) await exchanges.save("c", id, [createExchange()]);
    const left = await Promise.all(["1", "2", "3", "4"].map((id) => exchanges.load("c", id)));
    assert.deepEqual(
      left.map(({ length }) => length),
      [0, 1, 0, 1],
    );
    assert.equal(await count(), 3);
  });

  it("are removed if they are too large", async () => {
    const exchanges = new ExchangeTable(folder.open(), "conversation", { rows: 100, bytes: 1 });
    await exchanges.save("c", "m", [createExchange()]);
    assert.equal(await count(), 0);
  });

  for (const [what, data] of [
    ["aren't compressed", Buffer.from("not compressed")],
    ["aren't JSON", gzipSync("[{")],
    ["would exhaust the memory", gzipSync(`[${" ".repeat(65 * 1024 * 1024)}]`)],
  ] as const)
    it(`are left out and overwritten if they ${what}`, async () => {
      const exchanges = open();
      await exchanges.save("c", "m", [createExchange()]);
      folder.openDatabase().prepare("UPDATE exchange SET data = ?").run(data);
      assert.deepEqual(await exchanges.load("c", "m"), []);
      await exchanges.save("c", "m", [createExchange()]);
      assert.equal((await exchanges.load("c", "m")).length, 1);
    });

  it("lose what the earliest ones sent if the whole would be too long", async () => {
    const exchanges = open();
    const large = (id: string) => {
      const request = { ...createAttempt().request, body: id.repeat(3 * 1024 * 1024) };
      return createExchange({ attempts: [createAttempt({ request })] });
    };
    await exchanges.save("c", "m", [large("a"), large("b"), large("c")]);
    const loaded = await exchanges.load("c", "m");
    assert.deepEqual(
      loaded.map(({ attempts }) => attempts[0]?.request.body.slice(0, 1)),
      ["", "b", "c"],
    );
  });

  it("are saved even if another program has locked the file for seconds", async () => {
    const exchanges = open();
    await exchanges.load("c", "m");
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    const saved = exchanges.save("c", "m", [createExchange()]);
    await setTimeout(3_500);
    program.exec("ROLLBACK");
    await saved;
    assert.equal((await exchanges.load("c", "m")).length, 1);
  });

  describe("with content that must not be kept anymore", () => {
    const canary = { ...createAttempt().request, body: '{"messages":["canary"]}' };
    const withContent = createExchange({ attempts: [createAttempt({ request: canary })] });

    it("lose what was sent and keep what was measured", async () => {
      const exchanges = open();
      await exchanges.save("c", "m", [withContent]);
      await exchanges.save("c", "n", [withContent, withContent]);
      await exchanges.deleteContent();
      const measured = {
        ...withContent,
        attempts: [createAttempt({ request: { ...canary, body: "" } })],
      };
      assert.deepEqual(await exchanges.load("c", "m"), [measured]);
      assert.deepEqual(await exchanges.load("c", "n"), [measured, measured]);
    });

    it("are still removed from the oldest on", async () => {
      const exchanges = new ExchangeTable(folder.open(), "conversation", { rows: 2, bytes: 1_000_000 });
      for (const id of ["1", "2"]) await exchanges.save("c", id, [withContent]);
      await exchanges.deleteContent();
      await exchanges.save("c", "3", [withContent]);
      assert.deepEqual(await exchanges.load("c", "1"), []);
      assert.equal((await exchanges.load("c", "2")).length, 1);
    });

    it("are deleted if they can't be read", async () => {
      const exchanges = open();
      await exchanges.save("c", "m", [withContent]);
      folder.openDatabase().prepare("UPDATE exchange SET data = ?").run(Buffer.from("canary"));
      await exchanges.deleteContent();
      assert.equal(await count(), 0);
    });

    it("aren't read a second time unless content was saved since", async () => {
      const exchanges = open();
      await exchanges.save("c", "m", [withContent]);
      await exchanges.deleteContent();
      folder.openDatabase().prepare("UPDATE exchange SET data = ?").run(Buffer.from("not read"));
      await exchanges.save("c", "other", [withContent]);
      await exchanges.deleteContent();
      assert.equal((await exchanges.load("c", "other"))[0]?.attempts[0]?.request.body, "");
      assert.equal(await count(), 2);
    });

    it("leave the file and its log", async () => {
      const exchanges = open();
      folder.open().attempt(() => undefined);
      // Random text is stored almost as it is, so that it can be found.
      const body = Array.from({ length: 4_000 }, (_, index) => (index * 2_654_435_761).toString(36)).join("");
      const request = { ...canary, body };
      await exchanges.save("c", "m", [createExchange({ attempts: [createAttempt({ request })] })]);
      const [row] = folder.openDatabase().prepare("SELECT data FROM exchange").all();
      assert.ok(row?.["data"] instanceof Uint8Array);
      const part = Buffer.from(row["data"]).subarray(2_000, 2_100).toString("latin1");
      assert.notDeepEqual(folder.filesWith(part, "latin1"), []);
      await exchanges.deleteContent();
      for (let tries = 0; tries < 100 && folder.filesWith(part, "latin1").length > 0; tries++)
        await setTimeout(50);
      assert.deepEqual(folder.filesWith(part, "latin1"), []);
    });
  });
});
